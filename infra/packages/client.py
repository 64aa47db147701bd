"""Calls the server that is there, by the Python client as it was packed."""
import sys

from perigee import Client, NoAnswer, Refused

with Client(sys.argv[1]) as client:
    with client.follow(["status"], start="beginning") as feed:
        while (followed := feed.get(timeout=30)).event["status"] != "online":
            pass
    answer = client.call("t1", "u1", "sample:echo", {"message": "from Python"}, timeout=30)
    assert answer["outcome"] == "success" and "from Python" in str(answer["result"]), answer
    unknown = client.call("t1", "u1", "sample:nothing", timeout=30)
    assert unknown["error"]["code"] == "unknown_tool", unknown
    try:
        client.command("configure", "t1", "u1", {}, timeout=0.001)
        raise AssertionError("a deadline that has passed was waited for")
    except NoAnswer:
        pass
try:
    Client(sys.argv[1], prefix="none.")
    raise AssertionError("topics that are not there were read")
except Refused:
    pass
