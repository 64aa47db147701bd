package dev.perigee.worker.process.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One question to a name server, and its answers (RFC 1035). Answers fit into a datagram of 512
 * bytes; addresses that do not are left out. Pure.
 *
 * @param id that the answer repeats
 * @param name in lower case, without the last dot
 * @param type what is asked for
 * @param question as it was asked, which the answer repeats
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record DnsQuery(short id, String name, int type, byte[] question) {
    /** The longest message that is read, beyond which is no question. */
    static final int LONGEST = 1024;

    static final int A = 1;
    static final int AAAA = 28;

    private static final int HEADER_BYTES = 12;
    private static final int ANSWER_BYTES = 512;
    private static final int LONGEST_NAME = 253;
    private static final int LONGEST_LABEL = 63;
    private static final int INTERNET = 1;
    private static final int TTL_SECONDS = 30;

    /** Of the flags: an answer, or another operation than a question. */
    private static final int NO_QUESTION = 0xf800;

    /** An answer that was recursed for, with the question's own wish for it. */
    private static final int ANSWERED = 0x8080;

    private static final int RECURSION = 0x0100;

    /** As host names are written, the last label not like a number: that is an address. */
    private static final Pattern HOST =
            Pattern.compile("([a-z0-9_-]+\\.)*(?!0x)[a-z0-9_-]*[a-z][a-z0-9_-]*");

    /** Outcomes of a query. */
    enum Outcome {
        FOUND(0),
        FAILED(2),
        NO_SUCH_NAME(3);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }
    }

    /** Reads a question; null when it is none that has an answer. */
    static @Nullable DnsQuery parse(byte[] message) {
        if (message.length < HEADER_BYTES) {
            return null;
        }
        var in = ByteBuffer.wrap(message);
        short id = in.getShort();
        int flags = in.getShort() & 0xffff;
        int questions = in.getShort();
        if ((flags & NO_QUESTION) != 0 || questions != 1) {
            return null;
        }
        in.position(HEADER_BYTES);
        var name = name(in);
        if (name == null || in.remaining() < 4) {
            return null;
        }
        int type = in.getShort() & 0xffff;
        int kind = in.getShort() & 0xffff;
        var question = new byte[in.position() - HEADER_BYTES];
        System.arraycopy(message, HEADER_BYTES, question, 0, question.length);
        return kind == INTERNET ? new DnsQuery(id, name, type, question) : null;
    }

    private static @Nullable String name(ByteBuffer in) {
        var name = new StringBuilder();
        while (in.hasRemaining()) {
            int length = in.get() & 0xff;
            if (length == 0) {
                return name.toString().toLowerCase(Locale.ROOT);
            }
            // A pointer is none in a question: there is nothing before it.
            if (length > LONGEST_LABEL
                    || length > in.remaining()
                    || name.length() + length > LONGEST_NAME) {
                return null;
            }
            var label = new byte[length];
            in.get(label);
            name.append(name.isEmpty() ? "" : ".")
                    .append(new String(label, StandardCharsets.ISO_8859_1));
        }
        return null;
    }

    /** Whether addresses are asked for, of what can be a host. */
    boolean asksForHost() {
        return (type == A || type == AAAA) && HOST.matcher(name).matches();
    }

    /** Whether the name is one of the machine that asks. */
    boolean isLocal() {
        return name.equals("localhost") || name.endsWith(".localhost");
    }

    /** The message that answers it, with those of the addresses that it asks for. */
    byte[] answer(Outcome outcome, List<InetAddress> addresses) {
        int bytes = type == A ? 4 : 16;
        int most = (ANSWER_BYTES - HEADER_BYTES - question.length) / (HEADER_BYTES + bytes);
        var fitting =
                addresses.stream()
                        .filter(address -> (address instanceof Inet4Address) == (type == A))
                        .limit(most)
                        .toList();
        var out =
                ByteBuffer.allocate(
                        HEADER_BYTES + question.length + fitting.size() * (HEADER_BYTES + bytes));
        out.putShort(id).putShort((short) (ANSWERED | RECURSION | outcome.code));
        out.putShort((short) 1).putShort((short) fitting.size()).putInt(0);
        out.put(question);
        for (var address : fitting) {
            // The name is that of the question.
            out.putShort((short) (0xc000 | HEADER_BYTES));
            out.putShort((short) type).putShort((short) INTERNET).putInt(TTL_SECONDS);
            out.putShort((short) bytes).put(address.getAddress());
        }
        return out.array();
    }
}
