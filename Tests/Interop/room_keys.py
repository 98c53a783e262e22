"""Keys of private rooms, as Docs/Protocol.md section 3 says: a list of words, its checksum, and pass phrases."""

import hashlib
import hmac
import re
import unicodedata
from pathlib import Path

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from noise_peer import Room

SOURCE = Path(__file__).resolve().parents[2] / "Sources" / "Chat" / "Text" / "RoomKeyWords.swift"
LIST_HASH = "a543d1dc280e27cb940ca75423854d99aaf4d0f76384fc448bd371c128b9c472"


def word_list():
    """The 2,048 words; their hash is in the document."""
    words = re.search(r'static let text = """\n(.*?)\n +"""', SOURCE.read_text(), re.DOTALL)[1].split()
    assert hashlib.sha256("\n".join(words).encode()).hexdigest() == LIST_HASH
    return words


def of_words(name, text):
    """The room of a generated key."""
    words = word_list()
    number = 0
    separators = r"[\s\-\u00ad\u2010-\u2015\u2212\ufe63\uff0d\u200b\u2060\ufeff]+"
    for word in re.split(separators, text.strip("\ufeff \r\n").lower()):
        number = number << 11 | words.index(word)
    bits, checksum = (number >> 8).to_bytes(10, "big"), number & 255
    assert checksum == hashlib.sha256(b"earshot/3 checksum\0" + bits).digest()[0], "a typing error"
    return Room(name, hmac.digest(bits, b"earshot/3 key\0", "sha256"))


def of_phrase(name, phrase):
    """The room of a pass phrase: one guess, for an attacker."""
    salt = hashlib.sha256(b"earshot/3 salt\0" + unicodedata.normalize("NFC", name).encode()).digest()[:16]
    stretch = Argon2id(salt=salt, length=32, iterations=3, lanes=1, memory_cost=256 * 1024)
    meant = " ".join(phrase.removeprefix("\ufeff").split())
    return Room(name, stretch.derive(unicodedata.normalize("NFC", meant).encode()))
