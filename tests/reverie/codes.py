"""The app on a person's phone that makes codes, as RFC 6238 says."""

import base64
import hashlib
import hmac
import struct
import time


def code_of(secret: str) -> str:
    """The code that the app shows now."""
    step = struct.pack(">Q", int(time.time()) // 30)
    mac = hmac.new(base64.b32decode(secret), step, hashlib.sha1).digest()
    start = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[start : start + 4])[0] & 0x7FFFFFFF) % 10**6:06}"
