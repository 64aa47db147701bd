package dev.perigee.gateway.inbound;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.BitSet;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Codec of a {@link RequestProgress} as the metadata that Kafka keeps beside a committed offset: a
 * version, its four numbers and its bitmap, compressed, in base64. Empty metadata is {@linkplain
 * RequestProgress#none no progress}; metadata that cannot be decoded is {@linkplain
 * RequestProgress#unknown unknown progress}, so that everything counts as sent. Pure.
 */
public final class ProgressCodec {
    /** How many offsets after the committed one have a completion bit. */
    static final int WINDOW = 1 << 16;

    /** Brokers take 4,096 characters (offset.metadata.max.bytes); base64 makes 4 of 3. */
    static final int MAX_BITMAP_BYTES = 2_900;

    private static final int VERSION = 1;

    private ProgressCodec() {}

    /**
     * Encodes.
     *
     * @param maxBitmapBytes what the bitmap may take; completed offsets at its end that do not fit
     *     are left out, and then count as if they might have run
     */
    static String encode(RequestProgress progress, int maxBitmapBytes) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(progress.reserved());
            out.writeLong(progress.session());
            out.writeLong(progress.lostBelow());
            out.writeLong(progress.lostTwiceBelow());
            out.write(bitmap(progress.completed().bits(), maxBitmapBytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    /** Decodes what was committed with an offset; never fails. */
    public static RequestProgress decode(String metadata, long committed) {
        if (metadata.isEmpty()) {
            return RequestProgress.none(committed);
        }
        try {
            var bytes = new ByteArrayInputStream(Base64.getDecoder().decode(metadata));
            var in = new DataInputStream(bytes);
            if (in.readByte() != VERSION) {
                return RequestProgress.unknown(committed);
            }
            return new RequestProgress(
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    new OffsetSet(committed, bits(bytes)));
        } catch (IllegalArgumentException | IOException e) {
            return RequestProgress.unknown(committed);
        }
    }

    private static byte[] bitmap(BitSet bits, int maxBytes) throws IOException {
        for (int window = Math.min(WINDOW, bits.length()); window > 0; window /= 2) {
            var deflated = deflate(bits.get(0, window).toByteArray());
            if (deflated.length <= maxBytes) {
                return deflated;
            }
        }
        return new byte[0];
    }

    private static byte[] deflate(byte[] bytes) throws IOException {
        var deflated = new ByteArrayOutputStream();
        try (var out = new DeflaterOutputStream(deflated)) {
            out.write(bytes);
        }
        return deflated.toByteArray();
    }

    private static BitSet bits(ByteArrayInputStream bytes) throws IOException {
        if (bytes.available() == 0) {
            return new BitSet();
        }
        try (var in = new InflaterInputStream(bytes)) {
            return BitSet.valueOf(in.readNBytes(WINDOW / Byte.SIZE));
        }
    }
}
