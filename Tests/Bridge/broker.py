"""A RabbitMQ broker of its own: a directory, a node name and ports of its own, on loopback or in a network namespace."""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HOME = pathlib.Path("/usr/lib/rabbitmq/bin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, timeout=20):
    """Returns when a program listens at the port."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


class Certificates:
    """An authority with a server certificate for `names`, made by openssl."""

    def __init__(self, folder, names=("localhost",), addresses=("127.0.0.1",), days=2, expired=False):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.authority, self.key, self.server = self.folder / "ca.pem", self.folder / "key.pem", self.folder / "server.pem"
        alternative = ",".join([f"DNS:{name}" for name in names] + [f"IP:{address}" for address in addresses])
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-keyout", self.folder / "ca.key", "-out", self.authority, "-subj", "/CN=Test authority")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.key,
                      "-out", self.folder / "server.csr", "-subj", "/CN=" + names[0])
        (self.folder / "ext").write_text(f"subjectAltName={alternative}\nbasicConstraints=CA:FALSE\n")
        (self.folder / "index.txt").write_text("")
        (self.folder / "ca.conf").write_text(
            f"[ca]\ndefault_ca=c\n[c]\ndir={self.folder}\nnew_certs_dir={self.folder}\ndatabase={self.folder}/index.txt\n"
            "rand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
        dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"] if expired else ["-days", str(days)]
        self._openssl("ca", "-batch", "-notext", "-config", self.folder / "ca.conf", "-cert", self.authority,
                      "-keyfile", self.folder / "ca.key", "-in", self.folder / "server.csr", "-out", self.server,
                      "-extfile", self.folder / "ext", *dates)

    def _openssl(self, *words):
        done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)


class Broker:
    """A broker, started; `launch` starts a command on another host and returns its Popen."""

    def __init__(self, name="one@localhost", *, certificates=None, launch=None, address="127.0.0.1", secure_address=None, folder=None,
                 ports=None, epmd_address="127.0.0.1",
                 users=(("bridge", "secret", "/", ("^earshot", "^earshot", "^earshot")),), settings=""):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="earshot-broker."))
        self.is_own = folder is None
        self.launch = launch or (lambda command, **options: subprocess.Popen(command, **options))
        self.address = address
        self.plain, self.secure, self.distribution, self.epmd = ports or [free_port() for _ in range(4)]
        self.node, self.epmd_address = name, epmd_address
        self.process = None
        for part in ("data", "log", "home"):
            (self.folder / part).mkdir(exist_ok=True)
        cookie = self.folder / "home" / ".erlang.cookie"
        if not cookie.exists():
            cookie.write_text(os.environ.get("EARSHOT_TEST_COOKIE", "earshot"))
            cookie.chmod(0o400)
        # Users are made at the start, because each rabbitmqctl takes seconds.
        (self.folder / "definitions.json").write_text(json.dumps(self._definitions(users)))
        lines = [f"load_definitions = {self.folder}/definitions.json", f"listeners.tcp.1 = {address}:{self.plain}", "loopback_users.guest = false", "log.console = false",
                 "log.file.level = warning", settings]
        if certificates:
            lines += [f"listeners.ssl.1 = {secure_address or address}:{self.secure}", f"ssl_options.cacertfile = {certificates.authority}",
                      f"ssl_options.certfile = {certificates.server}", f"ssl_options.keyfile = {certificates.key}",
                      "ssl_options.verify = verify_none"]
        (self.folder / "rabbitmq.conf").write_text("\n".join(lines) + "\n")
        (self.folder / "enabled_plugins").write_text("[].\n")

    @staticmethod
    def _definitions(users):
        vhosts = {"/"} | {vhost for _, _, vhost, permissions in users if permissions}
        return {
            "vhosts": [{"name": vhost} for vhost in sorted(vhosts)],
            "users": [{"name": name, "password_hash": Broker._hash(password), "tags": "",
                       "hashing_algorithm": "rabbit_password_hashing_sha256"} for name, password, _, _ in users],
            "permissions": [{"user": name, "vhost": vhost, "configure": permissions[0], "write": permissions[1],
                             "read": permissions[2]} for name, _, vhost, permissions in users if permissions],
        }

    @staticmethod
    def _hash(password):
        salt = os.urandom(4)
        return base64.b64encode(salt + hashlib.sha256(salt + password.encode()).digest()).decode()

    @property
    def environment(self):
        return os.environ | {
            "HOME": str(self.folder / "home"), "RABBITMQ_NODENAME": self.node, "RABBITMQ_NODE_PORT": str(self.plain),
            "RABBITMQ_DIST_PORT": str(self.distribution), "ERL_EPMD_PORT": str(self.epmd),
            **({"ERL_EPMD_ADDRESS": self.epmd_address} if self.epmd_address else {}),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"), "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"), "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none", "LANG": "C.UTF-8",
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
        }

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.close()

    def start(self, timeout=120):
        """Starts it, and waits until it accepts connections, which it does when all else is done."""
        self.launch_server()
        self.await_connections(timeout)

    def launch_server(self):
        with open(self.folder / "out", "ab") as output:
            self.process = self.launch([str(HOME / "rabbitmq-server")], env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT, start_new_session=True)

    def await_connections(self, timeout=120):
        deadline = time.monotonic() + timeout
        probe = ["bash", "-c", f"exec 3<>/dev/tcp/{self.address}/{self.plain} && printf 'AMQP\\0\\0\\11\\1' >&3 && head -c 1 <&3"]
        while True:
            process = self.launch(probe, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            output, _ = process.communicate(timeout=30)
            if output:
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the broker does not start: " + (self.folder / "out").read_text()[-2000:])
            # The broker has no event to wait for before it listens.
            time.sleep(0.2)

    def control(self, *words, timeout=60):
        """The output of a command of rabbitmqctl."""
        process = self.launch([str(HOME / "rabbitmqctl"), "-q", *words], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = process.communicate(timeout=timeout)
        text = output if isinstance(output, str) else output.decode()
        if process.returncode:
            raise AssertionError(f"rabbitmqctl {' '.join(words)}: {text}")
        return text

    def kill(self, with_signal=signal.SIGKILL):
        """Ends the whole process group at once."""
        if self.process and self.process.poll() is None:
            for pid in self._children(self.process.pid) + [self.process.pid]:
                try:
                    os.kill(pid, with_signal)
                except ProcessLookupError:
                    pass
            self.process.wait()

    @staticmethod
    def _children(parent):
        done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True)
        children = [int(word) for word in done.stdout.split()]
        return [pid for child in children for pid in Broker._children(child)] + children

    def close(self):
        self.kill()
        if self.is_own:
            # The port mapper that the broker started goes on by itself.
            subprocess.run(["epmd", "-port", str(self.epmd), "-kill"], capture_output=True)
            shutil.rmtree(self.folder, ignore_errors=True)
