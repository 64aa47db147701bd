package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class LineFramerTest {
    private final List<String> lines = new ArrayList<>();

    private LineFramer framer(int maxBytes) {
        return new LineFramer(
                maxBytes,
                new LineFramer.Sink() {
                    @Override
                    public void line(byte[] line) {
                        lines.add(new String(line, StandardCharsets.UTF_8));
                    }

                    @Override
                    public void tooLong(long sizeBytes, byte[] head, byte[] tail) {
                        skipped("too long ", sizeBytes, head, tail);
                    }

                    @Override
                    public void givenUp(long sizeBytes, byte[] head, byte[] tail) {
                        skipped("given up ", sizeBytes, head, tail);
                    }

                    private void skipped(String how, long sizeBytes, byte[] head, byte[] tail) {
                        lines.add(
                                how
                                        + sizeBytes
                                        + " "
                                        + new String(head, StandardCharsets.UTF_8)
                                        + " "
                                        + new String(tail, StandardCharsets.UTF_8));
                    }
                });
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("PRO-35, PRO-36: lines come out whole, however their bytes fall into chunks")
    void cutsAnyChunks() {
        var random = new Random(7);
        for (int round = 0; round < 200; round++) {
            lines.clear();
            var framer = framer(1000);
            var expected = new ArrayList<String>();
            var all = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                var line = "é".repeat(random.nextInt(40)) + i;
                expected.add(line);
                all.append(line).append(random.nextBoolean() ? "\r\n" : "\n");
            }
            var rest = bytes(all.toString());
            while (rest.hasRemaining()) {
                int size = Math.min(rest.remaining(), 1 + random.nextInt(60));
                framer.accept(rest.slice(rest.position(), size));
                rest.position(rest.position() + size);
            }
            assertThat(lines).as("round %d of seed 7", round).isEqualTo(expected);
        }
    }

    @Test
    void dropsEmptyLines() {
        framer(100).accept(bytes("\n\r\na\n\n"));
        assertThat(lines).containsExactly("a");
    }

    @Test
    void skipsWhatIsTooLongInOneChunkOrMany() {
        framer(5).accept(bytes("0123456789\nafter\n"));
        assertThat(lines).containsExactly("too long 10 0123456789 0123456789", "after");

        lines.clear();
        var framer = framer(5);
        for (var one : "0123456789\nafter\n".split("")) {
            framer.accept(bytes(one));
        }
        assertThat(lines).containsExactly("too long 10 012345 0123456789", "after");
    }

    @Test
    void keepsBothEndsOfWhatItSkips() {
        var framer = framer(1000);
        framer.accept(bytes("head" + "x".repeat(900)));
        framer.accept(bytes("x".repeat(5000)));
        framer.accept(bytes("tail\n"));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("too long 5908 headxxx").endsWith("xxxtail");
        assertThat(lines.getFirst()).hasSize("too long 5908  ".length() + 2 * 256);
    }

    @Test
    @DisplayName("OWN-12: of a message that has not ended at most half as much again is kept")
    void keepsLittleMoreThanCame() {
        int chunk = 1000;
        var framer = framer(1 << 20);
        for (int came = chunk; came < 1 << 20; came += chunk) {
            framer.accept(bytes("x".repeat(chunk)));
            assertThat(framer.keptBytes()).isBetween(came, Math.max(4096, came + came / 2));
        }
    }

    @Test
    @DisplayName("PRO-37: a large line")
    void takesLargeLines() {
        var framer = framer(17 * 1024 * 1024);
        var chunk = "x".repeat(64 * 1024);
        for (int i = 0; i < 200; i++) {
            framer.accept(bytes(chunk));
        }
        framer.accept(bytes("\n"));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).hasSize(200 * 64 * 1024);
    }
}
