#!/bin/sh
# unfinished.sh DIRECTORY BYTES: a server whose answer to a call is a line of so many bytes, which it ends when the directory has a file go.
answer() {
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"
}
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"unfinished","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"long","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"
      head -c "$2" /dev/zero | tr '\0' x
      while [ ! -e "$1/go" ]; do sleep 0.1; done
      printf '"}]}}\n' ;;
    *'"ping"'*) answer '{}' ;;
  esac
done
