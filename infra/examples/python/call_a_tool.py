"""Installs a server and calls its tool, with Perigee's client."""
import json
import sys

from perigee import Client

TEAM, USER = "examples", "python"


def main():
    bootstrap = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"
    command, *args = sys.argv[2:] or ["npx", "-y", "@modelcontextprotocol/server-everything"]
    with Client(bootstrap) as client:
        installed = client.configure({
            "installation_id": "example-python", "server_slug": "everything",
            "team_id": TEAM, "team_slug": TEAM, "user_id": USER, "user_slug": USER,
            "transport_type": "stdio", "command": command, "args": args,
        })
        if (installed.get("result") or {}).get("resulting_status") != "online":
            sys.exit(f"The server is not online: {installed}")
        answer = client.call(TEAM, USER, "everything:echo", {"message": "Hello from Python"})
        print(answer["outcome"], json.dumps(answer.get("result") or answer.get("error")))


if __name__ == "__main__":
    main()
