"""The partition of a record's key, as Kafka's Java client computes it."""
from __future__ import annotations

_SEED = 0x9747B28C
_MULTIPLIER = 0x5BD1E995
_MASK = 0xFFFFFFFF


def partition(team_id: str, user_id: str, partitions: int) -> int:
    """The process partition of a user's servers, of so many: murmur2 of the key, as Kafka's Java client has it."""
    return (_murmur2(f"{team_id}/{user_id}".encode()) & 0x7FFFFFFF) % partitions


def _murmur2(data: bytes) -> int:
    value = (_SEED ^ len(data)) & _MASK
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * _MULTIPLIER & _MASK
        word = (word ^ word >> 24) * _MULTIPLIER & _MASK
        value = value * _MULTIPLIER & _MASK ^ word
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    value = (value ^ value >> 13) * _MULTIPLIER & _MASK
    return value ^ value >> 15
