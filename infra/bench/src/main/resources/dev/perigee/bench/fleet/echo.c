/* An MCP server with one tool, echo, that costs as little as a server can: a message a line in, one out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *out;
static size_t out_length, out_room;

static void put(const char *bytes, size_t length)
{
    if (out_length + length > out_room) {
        out_room = 2 * (out_length + length);
        out = realloc(out, out_room);
        if (!out)
            exit(1);
    }
    memcpy(out + out_length, bytes, length);
    out_length += length;
}

static void text(const char *bytes) { put(bytes, strlen(bytes)); }

static const char *blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == ',' || *at == ':'))
        at++;
    return at;
}

/* Past the JSON value that begins here. */
static const char *past(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                if (*at == '\\')
                    at++;
            if (depth == 0)
                return at < end ? at + 1 : end;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return at;
            if (--depth == 0)
                return at + 1;
        } else if (*at == ',' && depth == 0) {
            return at;
        }
    }
    return end;
}

/* The value of a member of the object that begins here, as it is written; null where it has none. */
static const char *member(const char *at, const char *end, const char *name, const char **value_end)
{
    size_t length = strlen(name);
    if (!at || at >= end || *at != '{')
        return NULL;
    for (at = blank(at + 1, end); at < end && *at == '"'; at = blank(*value_end, end)) {
        const char *key = at + 1;
        const char *key_end = past(at, end) - 1;
        const char *value = blank(key_end + 1, end);
        *value_end = past(value, end);
        if ((size_t)(key_end - key) == length && !memcmp(key, name, length))
            return value;
    }
    return NULL;
}

static int is(const char *at, const char *end, const char *value)
{
    return (size_t)(end - at) == strlen(value) && !memcmp(at, value, end - at);
}

static void answer(const char *line, const char *end)
{
    const char *id_end, *method_end, *at, *at_end;
    const char *id = member(line, end, "id", &id_end);
    const char *method = member(line, end, "method", &method_end);
    if (!id || !method)
        return;
    text("{\"jsonrpc\":\"2.0\",\"id\":");
    put(id, id_end - id);
    if (is(method, method_end, "\"tools/call\"")) {
        at = member(line, end, "params", &at_end);
        at = at ? member(at, at_end, "arguments", &at_end) : NULL;
        at = at ? member(at, at_end, "message", &at_end) : NULL;
        text(",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
        if (at)
            put(at, at_end - at);
        else
            text("\"\"");
        text("}]}}\n");
    } else if (is(method, method_end, "\"initialize\"")) {
        text(",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
             "\"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}}}\n");
    } else if (is(method, method_end, "\"tools/list\"")) {
        text(",\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"Says what it was told.\","
             "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}}},"
             "\"annotations\":{\"readOnlyHint\":true}}]}}\n");
    } else if (is(method, method_end, "\"ping\"")) {
        text(",\"result\":{}}\n");
    } else {
        text(",\"error\":{\"code\":-32601,\"message\":\"No such method\"}}\n");
    }
}

static void flush(void)
{
    for (size_t done = 0; done < out_length;) {
        ssize_t written = write(1, out + done, out_length - done);
        if (written <= 0)
            exit(1);
        done += written;
    }
    out_length = 0;
}

int main(void)
{
    size_t room = 1 << 14, length = 0;
    char *in = malloc(room);
    for (;;) {
        if (length == room)
            in = realloc(in, room *= 2);
        if (!in)
            return 1;
        ssize_t got = read(0, in + length, room - length);
        if (got <= 0)
            return 0;
        char *line = in, *end, *new = in + length;
        length += got;
        while ((end = memchr(new, '\n', in + length - new))) {
            answer(line, end);
            line = new = end + 1;
        }
        length -= line - in;
        memmove(in, line, length);
        flush();
    }
}
