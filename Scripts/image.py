"""Writes a container image of the program as an archive in OCI's layout, without a registry and without a daemon.

`image.py PROGRAM VERSION SECONDS FILE` writes FILE; SECONDS since 1970 are the time of all in it. Its one layer has the
program, the libraries that it is linked with or loads, and nothing else: no shell and no package manager. One program and
the same libraries give the same bytes.
"""

import gzip
import hashlib
import io
import json
import platform
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import sbom

# The program refuses to run as root in a chat.
USER = 65532
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
# Folders of that user: the control socket, and a place for a volume with what is kept.
OWNED = ("run/earshot", "var/lib/earshot")
PASSWD = f"earshot:x:{USER}:{USER}::/run/earshot:/usr/bin/earshot\n"


def found(library):
    """The file of a library by its name, as the loader finds it."""
    path = re.search(rf"^\t{re.escape(library)} .* => (\S+)$", sbom.output("ldconfig", "-p"), re.MULTILINE)
    if not path:
        raise sbom.Problem(f"{library} is not installed")
    return path[1]


def libraries(program, root):
    """Name in the layer -> file, of all libraries that the program needs, directly or not, and of the loader."""
    files = {}
    wanted = [str(program), *(found(library) for library in sbom.loaded(root))]
    for path in wanted:
        listed = sbom.output("ldd", path)
        for name, place in re.findall(r"^\t(\S+) => (/\S+) ", listed, re.MULTILINE):
            files[f"usr/lib/{Path(place).parent.name}/{name}"] = place
        for place in re.findall(r"^\t(/\S+) \(", listed, re.MULTILINE):
            files[f"usr/{place.lstrip('/').removeprefix('usr/')}"] = place
        if path != str(program):
            files[f"usr/lib/{Path(path).parent.name}/{Path(path).name}"] = path
    return files


def entry(name, seconds, kind, mode, owner=0):
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.mtime, member.uid, member.gid = kind, mode, seconds, owner, owner
    return member


def layer(program, seconds, root):
    """The tar archive of the root folder, in the order of the names."""
    contents = {name: (Path(place).read_bytes(), 0o755) for name, place in libraries(program, root).items()}
    contents |= {
        "usr/bin/earshot": (Path(program).read_bytes(), 0o755),
        "etc/passwd": (PASSWD.encode(), 0o644),
        "etc/group": (f"earshot:x:{USER}:\n".encode(), 0o644),
    }
    folders = {str(parent) for name in (*contents, *OWNED) for parent in Path(name).parents if str(parent) != "."}
    members = [entry("tmp", seconds, tarfile.DIRTYPE, 0o1777)]
    members += [entry(name, seconds, tarfile.DIRTYPE, 0o700, USER) for name in OWNED]
    members += [entry(name, seconds, tarfile.DIRTYPE, 0o755) for name in folders]
    for name in ("lib", "lib64"):
        link = entry(name, seconds, tarfile.SYMTYPE, 0o777)
        link.linkname = f"usr/{name}"
        members.append(link)
    for name, (content, mode) in contents.items():
        member = entry(name, seconds, tarfile.REGTYPE, mode)
        member.size = len(content)
        members.append(member)
    return archive(members, {name: content for name, (content, _) in contents.items()})


def archive(members, contents):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for member in sorted(members, key=lambda member: member.name):
            content = contents.get(member.name)
            tar.addfile(member, io.BytesIO(content) if content is not None else None)
    return written.getvalue()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def described(kind, content):
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest(content)}", "size": len(content)}


def configuration(version, seconds, plain):
    created = sbom.moment(seconds)
    return {
        "created": created,
        "architecture": MACHINES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": [
                "PATH=/usr/bin", "LC_ALL=C.UTF-8", "HOME=/run/earshot", "XDG_RUNTIME_DIR=/run/earshot", "TERM=xterm-256color",
            ],
            "Entrypoint": ["/usr/bin/earshot"],
            "WorkingDir": "/run/earshot",
            "StopSignal": "SIGTERM",
            "Labels": {"org.opencontainers.image.title": "earshot", "org.opencontainers.image.version": version},
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(plain)}"]},
        "history": [{"created": created, "created_by": "Scripts/image"}],
    }


def image(program, version, seconds, root=sbom.ROOT):
    plain = layer(program, seconds, root)
    packed = gzip.compress(plain, compresslevel=9, mtime=0)
    config = json.dumps(configuration(version, seconds, plain), sort_keys=True).encode()
    name = f"localhost/earshot:{version}"
    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described("config.v1+json", config),
        "layers": [described("layer.v1.tar+gzip", packed)],
    }, sort_keys=True).encode()
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{**described("manifest.v1+json", manifest), "annotations": {"org.opencontainers.image.ref.name": name}}],
    }
    blobs = {f"blobs/sha256/{digest(content)}": content for content in (packed, config, manifest)}
    # `docker load` of versions before 25 reads this list instead of the index.
    older = [{"Config": f"blobs/sha256/{digest(config)}", "RepoTags": [name], "Layers": [f"blobs/sha256/{digest(packed)}"]}]
    contents = blobs | {
        "oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode(),
        "index.json": json.dumps(index, sort_keys=True).encode(),
        "manifest.json": json.dumps(older, sort_keys=True).encode(),
    }
    members = [entry(folder, seconds, tarfile.DIRTYPE, 0o755) for folder in ("blobs", "blobs/sha256")]
    for path, content in contents.items():
        member = entry(path, seconds, tarfile.REGTYPE, 0o644)
        member.size = len(content)
        members.append(member)
    return archive(members, contents)


if __name__ == "__main__":
    try:
        Path(sys.argv[4]).write_bytes(image(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    except (sbom.Problem, subprocess.SubprocessError) as problem:
        sys.exit(f"earshot: {problem}")
