"""Calls the server that is there, by the Python client as it was packed."""
import sys

from perigee import Client, NoAnswer

with Client(sys.argv[1]) as client:
    answer = client.call("t1", "u1", "sample:echo", {"message": "from Python"}, timeout=30)
    assert answer["outcome"] == "success" and "from Python" in str(answer["result"]), answer
    unknown = client.call("t1", "u1", "sample:nothing", timeout=30)
    assert unknown["error"]["code"] == "unknown_tool", unknown
    try:
        client.command("configure", "t1", "u1", {}, timeout=0)
        raise AssertionError("a deadline that has passed was waited for")
    except NoAnswer:
        pass
