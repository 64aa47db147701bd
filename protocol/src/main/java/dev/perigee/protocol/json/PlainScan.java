package dev.perigee.protocol.json;

import static dev.perigee.protocol.json.PlainFields.require;

/**
 * Scanner of JSON values that are only passed over. It accepts less than a parser: strictly valid
 * JSON and UTF-8, at most {@link #MAX_DEPTH} deep, with names without escapes and numbers of
 * moderate length. All else is a {@link PlainFields.UnusualException}. Pure.
 */
final class PlainScan {
    /** Deeper values are a parser's. */
    static final int MAX_DEPTH = 100;

    private static final int MAX_NAME_BYTES = 1000;
    private static final int MAX_NUMBER_BYTES = 60;
    private static final int HEX_DIGITS = 4;

    private PlainScan() {}

    /** The index of the first byte that is no white space, at most the end. */
    static int space(byte[] json, int from, int end) {
        int at = from;
        while (at < end
                && (json[at] == ' ' || json[at] == '\n' || json[at] == '\r' || json[at] == '\t')) {
            at++;
        }
        return at;
    }

    /** The index after the value that begins here. */
    static int value(byte[] json, int at, int end, int depth) {
        return switch (get(json, at, end)) {
            case '"' -> string(json, at + 1, end);
            case '{' -> object(json, at, end, depth + 1);
            case '[' -> array(json, at, end, depth + 1);
            case 't' -> word("true", json, at, end);
            case 'f' -> word("false", json, at, end);
            case 'n' -> word("null", json, at, end);
            default -> number(json, at, end);
        };
    }

    /** The index after a short string of printable ASCII without escapes that begins here. */
    static int plain(byte[] json, int at, int end) {
        require(get(json, at, end) == '"');
        int next = at + 1;
        while (true) {
            byte character = get(json, next, end);
            if (character == '"') {
                require(next - at <= MAX_NAME_BYTES);
                return next + 1;
            }
            require(character >= ' ' && character != '\\');
            next++;
        }
    }

    /** The index after a short name without escapes, in any alphabet, that begins here. */
    private static int name(byte[] json, int at, int end) {
        require(get(json, at, end) == '"');
        int next = at + 1;
        while (true) {
            byte character = get(json, next, end);
            if (character == '"') {
                require(next - at <= MAX_NAME_BYTES);
                return next + 1;
            }
            require(character != '\\');
            next = unescaped(json, next, end);
        }
    }

    private static byte get(byte[] json, int at, int end) {
        require(at < end);
        return json[at];
    }

    private static int object(byte[] json, int at, int end, int depth) {
        require(depth < MAX_DEPTH);
        int next = space(json, at + 1, end);
        if (get(json, next, end) == '}') {
            return next + 1;
        }
        while (true) {
            next = space(json, name(json, next, end), end);
            require(get(json, next, end) == ':');
            next = space(json, value(json, space(json, next + 1, end), end, depth), end);
            if (get(json, next, end) == '}') {
                return next + 1;
            }
            require(json[next] == ',');
            next = space(json, next + 1, end);
        }
    }

    private static int array(byte[] json, int at, int end, int depth) {
        require(depth < MAX_DEPTH);
        int next = space(json, at + 1, end);
        if (get(json, next, end) == ']') {
            return next + 1;
        }
        while (true) {
            next = space(json, value(json, next, end, depth), end);
            if (get(json, next, end) == ']') {
                return next + 1;
            }
            require(json[next] == ',');
            next = space(json, next + 1, end);
        }
    }

    private static int word(String word, byte[] json, int at, int end) {
        for (int i = 0; i < word.length(); i++) {
            require(get(json, at + i, end) == word.charAt(i));
        }
        return at + word.length();
    }

    private static int number(byte[] json, int at, int end) {
        int first = json[at] == '-' ? at + 1 : at;
        int next = digits(json, first, end);
        require(next == first + 1 || json[first] != '0');
        if (next < end && json[next] == '.') {
            next = digits(json, next + 1, end);
        }
        if (next < end && (json[next] == 'e' || json[next] == 'E')) {
            byte sign = get(json, next + 1, end);
            next = digits(json, sign == '+' || sign == '-' ? next + 2 : next + 1, end);
        }
        require(next - at <= MAX_NUMBER_BYTES);
        return next;
    }

    /** The index after at least one digit. */
    private static int digits(byte[] json, int at, int end) {
        int next = at;
        while (next < end && json[next] >= '0' && json[next] <= '9') {
            next++;
        }
        require(next > at);
        return next;
    }

    private static int string(byte[] json, int at, int end) {
        int next = at;
        while (true) {
            byte character = get(json, next, end);
            if (character == '"') {
                return next + 1;
            }
            next = character == '\\' ? escape(json, next + 1, end) : unescaped(json, next, end);
        }
    }

    /** The index after one character of a string that is no escape. */
    private static int unescaped(byte[] json, int at, int end) {
        if (json[at] < 0) {
            return multiByte(json, at, end);
        }
        require(json[at] >= ' ');
        return at + 1;
    }

    private static int escape(byte[] json, int at, int end) {
        byte what = get(json, at, end);
        if (what != 'u') {
            require("\"\\/bfnrt".indexOf(what) >= 0);
            return at + 1;
        }
        for (int i = 1; i <= HEX_DIGITS; i++) {
            require(Character.digit(get(json, at + i, end), 16) >= 0);
        }
        return at + 1 + HEX_DIGITS;
    }

    /**
     * The index after one character of valid UTF-8: shortest form, no surrogate, none too large.
     */
    private static int multiByte(byte[] json, int at, int end) {
        int lead = json[at] & 0xFF;
        int second = get(json, at + 1, end) & 0xFF;
        int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        require(lead >= 0xC2 && lead <= 0xF4 && second >= least && second <= most);
        int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        for (int i = 2; i < length; i++) {
            require((get(json, at + i, end) & 0xC0) == 0x80);
        }
        return at + length;
    }
}
