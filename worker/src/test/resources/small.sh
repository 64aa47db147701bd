#!/bin/sh
# The smallest MCP server: one tool, pid. A shell with nothing loaded, so that hundreds of them fit on any machine.
answer() {
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"
}
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"pid","description":"Its process id","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"$$\"}]}" ;;
    *'"ping"'*) answer '{}' ;;
  esac
done
