package dev.perigee.protocol.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdHashTest {
    private static final long FIRST = 0x0706050403020100L;
    private static final long SECOND = 0x0f0e0d0c0b0a0908L;

    /** As {@code openssl mac -macopt hexkey:000102..0f -macopt size:16 SIPHASH} has it. */
    @ParameterizedTest
    @CsvSource({
        "'', a3817f04ba25a8e66df67214c7550293",
        "0001, 8177228da4a45dc7fca38bdef60affe4",
        "00010203, f88164c12d9c8faf7d0f6e7c7bcd5579",
        "0001020304050607, 3b62a9ba6258f5610f83e264f31497b4",
        "000102030405060708090a0b0c0d, 31fcefac66d7de9c7ec7485fe4494902"
    })
    void isSipHash(String bytes, String expected) {
        var hash = new IdHash(FIRST, SECOND);
        hash.of("something before");
        hash.of(chars(bytes));
        var made =
                ByteBuffer.allocate(16)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(hash.high())
                        .putLong(hash.low());
        assertThat(HexFormat.of().formatHex(made.array())).isEqualTo(expected);
    }

    private static String chars(String bytes) {
        var buffer = ByteBuffer.wrap(HexFormat.of().parseHex(bytes));
        return buffer.order(ByteOrder.LITTLE_ENDIAN).asCharBuffer().toString();
    }
}
