package dev.perigee.protocol.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a document as nearly all are: of moderate size and depth, with plain names and texts
 * where those are read. A parser would make the same of it, with more objects. Whatever else it is,
 * invalid or only unusual, is an {@link UnusualException}, and a parser's to judge.
 */
final class PlainFields extends Fields {
    private static final int MAX_BYTES = 64 << 10;

    /** Any number of so many digits fits into a long. */
    private static final int MOST_DIGITS = 18;

    private static final int BASE64_GROUP = 4;

    private final byte[] source;
    private final int end;
    private int at;
    private int open;
    private boolean entered;
    private boolean pending;

    /** The document is not plain: nothing is known of it. */
    static final class UnusualException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnusualException() {
            super("not plain", null, false, false);
        }
    }

    /**
     * @param length of the document, at the beginning of the bytes
     */
    PlainFields(byte[] source, int length) {
        this.source = source;
        this.end = length;
    }

    @Override
    <T extends @Nullable Object> T document(Function<Fields, T> reader) {
        require(end <= MAX_BYTES);
        at = PlainScan.space(source, at, end);
        T value = present(reader);
        require(PlainScan.space(source, at, end) == end);
        return value;
    }

    @Override
    public <T> @Nullable T object(Function<Fields, T> reader) {
        return isNull() ? null : present(reader);
    }

    private <T extends @Nullable Object> T present(Function<Fields, T> reader) {
        require(next('{') && ++open < PlainScan.MAX_DEPTH);
        int depth = open;
        at++;
        pending = false;
        entered = true;
        T value = reader.apply(this);
        require(open == depth - 1);
        return value;
    }

    @Override
    public @Nullable String next() {
        if (pending) {
            pass();
        }
        at = PlainScan.space(source, at, end);
        if (next('}')) {
            at++;
            open--;
            entered = false;
            return null;
        }
        if (!entered) {
            require(next(','));
            at = PlainScan.space(source, at + 1, end);
        }
        entered = false;
        var name = plain();
        at = PlainScan.space(source, at, end);
        require(next(':'));
        at = PlainScan.space(source, at + 1, end);
        pending = true;
        return name;
    }

    private boolean next(char expected) {
        return at < end && source[at] == expected;
    }

    private void pass() {
        at = PlainScan.value(source, at, end, open);
        pending = false;
    }

    private String plain() {
        int from = at + 1;
        int after = PlainScan.plain(source, at, end);
        at = after;
        var known = KnownTexts.find(source, from, after - 1);
        return known == null ? new String(source, from, after - 1 - from, ISO_8859_1) : known;
    }

    private boolean isNull() {
        if (!next('n')) {
            return false;
        }
        pass();
        return true;
    }

    @Override
    public @Nullable String text() {
        if (isNull()) {
            return null;
        }
        pending = false;
        return plain();
    }

    @Override
    public @Nullable List<String> texts() {
        if (isNull()) {
            return null;
        }
        require(next('['));
        var texts = new ArrayList<String>();
        at = PlainScan.space(source, at + 1, end);
        while (!next(']')) {
            if (!texts.isEmpty()) {
                require(next(','));
                at = PlainScan.space(source, at + 1, end);
            }
            texts.add(plain());
            at = PlainScan.space(source, at, end);
        }
        at++;
        pending = false;
        return texts;
    }

    @Override
    public @Nullable Long number() {
        return isNull() ? null : (Long) integer();
    }

    @Override
    public @Nullable Integer smallNumber() {
        if (isNull()) {
            return null;
        }
        long number = integer();
        require(number == (int) number);
        return (int) number;
    }

    private long integer() {
        boolean negative = next('-');
        int from = negative ? at + 1 : at;
        pass();
        require(at - from <= MOST_DIGITS && from < at);
        long number = 0;
        for (int i = from; i < at; i++) {
            require(source[i] >= '0' && source[i] <= '9');
            number = number * 10 + (source[i] - '0');
        }
        require(!negative || number > 0);
        return negative ? -number : number;
    }

    @Override
    public @Nullable Boolean truth() {
        if (isNull()) {
            return null;
        }
        boolean truth = next('t');
        require(truth || next('f'));
        pass();
        return truth;
    }

    @Override
    public @Nullable RawJson raw() {
        if (isNull()) {
            return null;
        }
        int from = at;
        pass();
        return RawJson.slice(source, from, at);
    }

    @Override
    public byte @Nullable [] bytes() {
        var text = text();
        if (text == null) {
            return null;
        }
        try {
            var bytes = Base64.getDecoder().decode(text);
            require(
                    text.length() % BASE64_GROUP == 0
                            && Base64.getEncoder().encodeToString(bytes).equals(text));
            return bytes;
        } catch (IllegalArgumentException e) {
            throw unusual();
        }
    }

    static void require(boolean plain) {
        if (!plain) {
            throw unusual();
        }
    }

    private static UnusualException unusual() {
        return new UnusualException();
    }
}
