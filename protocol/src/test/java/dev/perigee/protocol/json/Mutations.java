package dev.perigee.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Random;

/** Malformed documents: one with some of its bytes changed, the same by a seed. */
public final class Mutations {
    private static final byte[][] PIECES = {
        bytes("\""),
        bytes("\\"),
        bytes("{"),
        bytes("}"),
        bytes("["),
        bytes("]"),
        bytes(","),
        bytes(":"),
        bytes(" "),
        bytes("\n"),
        bytes("\t"),
        bytes("0"),
        bytes("-"),
        bytes("."),
        bytes("e+"),
        bytes("null"),
        bytes("true"),
        bytes("\"\\u00e4\""),
        bytes("\\ud83d"),
        bytes("\"ü\""),
        bytes("😀"),
        bytes("99999999999999999999"),
        bytes("1.50"),
        bytes("\"id\":"),
        bytes(",\"id\":7"),
        bytes(",\"method\":\"x\""),
        bytes("{}"),
        bytes("[1,{\"a\":[]}]"),
        {0},
        {0x1F},
        {0x7F},
        {(byte) 0x80},
        {(byte) 0xC0, (byte) 0xAF},
        {(byte) 0xC3},
        {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
        {(byte) 0xF5, (byte) 0x80, (byte) 0x80},
        {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
        {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF}
    };

    private final Random random;

    public Mutations(long seed) {
        this.random = new Random(seed);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** The document after one to three changes. */
    public byte[] of(byte[] document) {
        byte[] changed = document;
        for (int i = random.nextInt(3); i >= 0; i--) {
            changed = once(changed);
        }
        return changed;
    }

    private byte[] once(byte[] document) {
        int from = random.nextInt(document.length + 1);
        int to = Math.min(document.length, from + random.nextInt(12));
        return switch (random.nextInt(6)) {
            case 0 -> join(document, from, PIECES[random.nextInt(PIECES.length)], from);
            case 1 -> join(document, from, PIECES[random.nextInt(PIECES.length)], to);
            case 2 -> join(document, from, new byte[0], to);
            case 3 -> join(document, to, Arrays.copyOfRange(document, from, to), to);
            case 4 -> join(document, from, new byte[] {(byte) random.nextInt(256)}, from);
            default -> Arrays.copyOf(document, from);
        };
    }

    private static byte[] join(byte[] document, int end, byte[] piece, int rest) {
        var joined = Arrays.copyOf(document, end + piece.length + document.length - rest);
        System.arraycopy(piece, 0, joined, end, piece.length);
        System.arraycopy(document, rest, joined, end + piece.length, document.length - rest);
        return joined;
    }
}
