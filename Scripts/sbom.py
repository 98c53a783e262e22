"""Writes the list of materials of a package as JSON of SPDX 2.3, by facts of dpkg, of the program and of Package.swift.

`sbom.py TREE VERSION SECONDS` prints it for the files in TREE, whose program is TREE/usr/bin/earshot; SECONDS since 1970 are
the time of the document. The list names each file of the package with its hashes, the Debian packages of the libraries that
the program is linked with or loads, in the installed version, and the Swift runtime inside the program.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The document can not have its own hash.
OWN = "usr/share/doc/earshot/earshot.spdx.json"
PROGRAM = "usr/bin/earshot"
UNKNOWN = "NOASSERTION"


class Problem(Exception):
    """A fact that is missing, with the remedy."""


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode:
        raise Problem(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def linked(program):
    """The libraries that the linker listed in the program, without the loader itself."""
    names = re.findall(r"^\s+NEEDED\s+(\S+)$", output("objdump", "-p", program), re.MULTILINE)
    return [name for name in names if not name.startswith("ld-linux")]


def loaded(root):
    """The libraries that a program of these sources loads at run time: those of the system libraries of Package.swift."""
    manifest = (root / "Package.swift").read_text()
    modules = re.findall(r'\.systemLibrary\(name: "(\w+)"\)', manifest)
    headers = [path for module in modules for path in sorted((root / "Sources" / module).glob("*.h"))]
    return sorted({name for path in headers for name in re.findall(r'dlopen\("([^"]+)"', path.read_text())})


def refuse_swift_packages(root):
    """Another Swift package would be part of the program, and has no entry here yet."""
    if re.search(r"\.package\(", (root / "Package.swift").read_text()):
        raise Problem("Package.swift names another Swift package; sbom.py has to list it")


def debian_package(library):
    """The facts of the installed Debian package that a library is of."""
    path = re.search(rf"^\t{re.escape(library)} .* => (\S+)$", output("ldconfig", "-p"), re.MULTILINE)
    if not path:
        raise Problem(f"{library} is not installed, so its package is not known")
    # The cache may name a file by a link of the root folder, under which dpkg does not know it.
    for name in (path[1], os.path.realpath(path[1]), path[1].removeprefix("/usr"), f"*/{Path(path[1]).name}"):
        try:
            package = output("dpkg-query", "-S", name).split(": ")[0]
            break
        except Problem:
            continue
    else:
        raise Problem(f"no Debian package has {path[1]}")
    fields = ("Package", "Version", "Architecture", "source:Package", "source:Version", "Maintainer", "Homepage")
    shown = output("dpkg-query", "-W", "-f", "\n".join(f"${{{field}}}" for field in fields), package)
    return dict(zip(fields, shown.split("\n"), strict=True))


def moment(seconds):
    """A time as SPDX and OCI write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)


def debian_entry(facts):
    vendor = re.search(r'^ID="?(\w+)', Path("/etc/os-release").read_text(), re.MULTILINE)[1]
    version = urllib.parse.quote(facts["Version"], safe="~")
    address = f"pkg:deb/{vendor}/{urllib.parse.quote(facts['Package'], safe='')}@{version}?arch={facts['Architecture']}"
    name, mail = re.fullmatch(r"(.*?)\s*<(.*)>", facts["Maintainer"]).groups()
    entry = {
        "SPDXID": identifier(f"Debian-{facts['Package']}"),
        "name": facts["Package"],
        "versionInfo": facts["Version"],
        "supplier": f"Organization: {name} ({mail})",
        "downloadLocation": UNKNOWN,
        "filesAnalyzed": False,
        "sourceInfo": f"built from the source package {facts['source:Package']} {facts['source:Version']}",
        "licenseConcluded": UNKNOWN,
        "licenseDeclared": UNKNOWN,
        "copyrightText": UNKNOWN,
        "comment": f"/usr/share/doc/{facts['Package']}/copyright of the package has its licences.",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}],
    }
    if facts["Homepage"]:
        entry["homepage"] = facts["Homepage"]
    return entry


def swift_entry(program, root):
    """The Swift runtime and standard library, which are inside the program."""
    tools = re.search(r"swift-tools-version:\s*(\S+)", (root / "Package.swift").read_text())[1]
    compilers = re.findall(r"clang version [^\n\0]*\)", output("readelf", "-p", ".comment", program))
    return {
        "SPDXID": "SPDXRef-Swift-runtime",
        "name": "swift-runtime",
        "versionInfo": tools,
        "supplier": "Organization: Swift project",
        "downloadLocation": "git+https://github.com/swiftlang/swift",
        "filesAnalyzed": False,
        "sourceInfo": "; ".join([f"the static libraries of a toolchain of version {tools} or later", *compilers]),
        "licenseConcluded": UNKNOWN,
        "licenseDeclared": "Apache-2.0 WITH Swift-exception",
        "copyrightText": "Copyright Apple Inc. and the Swift project authors",
    }


def hashes(path):
    content = path.read_bytes()
    return [
        {"algorithm": name, "checksumValue": hashlib.new(name.lower(), content).hexdigest()} for name in ("SHA1", "SHA256")
    ]


def file_entry(tree, name):
    kinds = ["BINARY"] if name == PROGRAM else ["ARCHIVE"] if name.endswith(".gz") else ["TEXT"]
    return {
        "SPDXID": identifier(f"File-{name.replace('/', '-')}"),
        "fileName": f"./{name}",
        "fileTypes": kinds,
        "checksums": hashes(tree / name),
        "licenseConcluded": UNKNOWN,
        "licenseInfoInFiles": [UNKNOWN],
        "copyrightText": UNKNOWN,
    }


def verification_code(files):
    """SPDX 2.3, section 7.9: the SHA-1 of the sorted SHA-1s of all files but the document."""
    values = sorted(entry["checksums"][0]["checksumValue"] for entry in files)
    return hashlib.sha1("".join(values).encode()).hexdigest()


def sources_hash(root):
    """One hash of Package.swift and all sources, with or without a history: of the lines of `sha256sum` over the sorted files."""
    paths = ["Package.swift", *(path.relative_to(root).as_posix() for path in (root / "Sources").rglob("*") if path.is_file())]
    lines = (f"{hashlib.sha256((root / path).read_bytes()).hexdigest()}  {path}\n" for path in sorted(paths))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def own_entry(version, files, root):
    return {
        "SPDXID": "SPDXRef-Package-earshot",
        "name": "earshot",
        "versionInfo": version,
        "supplier": "Organization: The Earshot authors (authors@earshot.invalid)",
        "downloadLocation": UNKNOWN,
        "filesAnalyzed": True,
        "packageVerificationCode": {
            "packageVerificationCodeValue": verification_code(files), "packageVerificationCodeExcludedFiles": [f"./{OWN}"],
        },
        "primaryPackagePurpose": "APPLICATION",
        "sourceInfo": f"SHA-256 of the hashes of Package.swift and Sources: {sources_hash(root)}",
        "licenseConcluded": UNKNOWN,
        "licenseDeclared": UNKNOWN,
        "licenseInfoFromFiles": [UNKNOWN],
        "copyrightText": UNKNOWN,
    }


def relation(first, kind, second):
    return {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}


def document(tree, version, seconds, root=ROOT):
    refuse_swift_packages(root)
    names = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())
    files = [file_entry(tree, name) for name in names if not name.startswith("DEBIAN/") and name != OWN]
    own = own_entry(version, files, root)
    program = identifier(f"File-{PROGRAM.replace('/', '-')}")
    entries, relations = {}, [relation("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [relation(own["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in files]
    swift = swift_entry(tree / PROGRAM, root)
    relations.append(relation(program, "STATIC_LINK", swift["SPDXID"]))
    links = [(name, "DYNAMIC_LINK") for name in linked(tree / PROGRAM)] + [(name, "RUNTIME_DEPENDENCY_OF") for name in loaded(root)]
    for library, kind in links:
        entry = debian_entry(debian_package(library))
        entries[entry["SPDXID"]] = entry
        ends = (program, kind, entry["SPDXID"]) if kind == "DYNAMIC_LINK" else (entry["SPDXID"], kind, program)
        if relation(*ends) not in relations:
            relations.append(relation(*ends))
    packages = [own, swift, *(entries[name] for name in sorted(entries))]
    content = hashlib.sha256(json.dumps([files, packages]).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"earshot-{version}",
        # An address of its own for each content, as SPDX demands; nothing is there.
        "documentNamespace": f"https://earshot.invalid/spdx/earshot-{version}-{content[:32]}",
        "creationInfo": {
            "created": moment(seconds),
            "creators": ["Tool: earshot-sbom", "Organization: The Earshot authors (authors@earshot.invalid)"],
        },
        "documentDescribes": [own["SPDXID"]],
        "packages": packages,
        "files": files,
        "relationships": relations,
    }


if __name__ == "__main__":
    try:
        print(json.dumps(document(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])), indent=1, sort_keys=False))
    except Problem as problem:
        sys.exit(f"earshot: {problem}")
