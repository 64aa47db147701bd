package dev.perigee.worker.session;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the link's WebSocket by hand, on one connection, and shows the heads of the answers. It
 * sends nothing by itself, no pongs either.
 */
final class RawUpgrade implements AutoCloseable {
    private static final int PATIENCE_MS = 60_000;
    private static final int CLOSE = 8;

    private final Socket socket;
    private final StringBuilder sent = new StringBuilder();

    /** An answer's head. */
    record Head(List<String> lines) {
        int status() {
            return Integer.parseInt(lines.getFirst().split(" ")[1]);
        }

        @Nullable String header(String name) {
            var start = name.toLowerCase(Locale.ROOT) + ": ";
            return lines.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .findFirst()
                    .orElse(null);
        }

        String challenge() {
            var challenge = header("WWW-Authenticate");
            if (challenge == null) {
                throw new AssertionError("no challenge in " + lines);
            }
            return challenge;
        }
    }

    private RawUpgrade(Socket socket) {
        this.socket = socket;
    }

    static RawUpgrade to(URI link) throws IOException {
        var socket = new Socket(InetAddress.ofLiteral(link.getHost()), link.getPort());
        socket.setSoTimeout(PATIENCE_MS);
        return new RawUpgrade(socket);
    }

    /** Everything that was sent. */
    String sent() {
        return sent.toString();
    }

    Head ask(String authorization) throws IOException {
        var request =
                """
                GET /link HTTP/1.1\r
                Host: worker\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Version: 13\r
                Authorization: %s\r
                \r
                """
                        .formatted(authorization);
        sent.append(request);
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        var head = new Head(List.of(text("\r\n\r\n", Integer.MAX_VALUE).split("\r\n")));
        var length = head.header("Content-Length");
        if (length != null) {
            text("", Integer.parseInt(length));
        }
        return head;
    }

    /** Reads frames up to the one that closes, and returns its status. */
    int closeStatus() throws IOException {
        var frames = new DataInputStream(socket.getInputStream());
        while (true) {
            int code = frames.readUnsignedByte() & 0xf;
            int length = frames.readUnsignedByte();
            length = length == 126 ? frames.readUnsignedShort() : length;
            var payload = frames.readNBytes(length);
            if (code == CLOSE) {
                return ByteBuffer.wrap(payload).getShort();
            }
        }
    }

    /** Reads up to an end, or so many characters. */
    private String text(String end, int most) throws IOException {
        var text = new StringBuilder();
        while (text.length() < most && (end.isEmpty() || text.indexOf(end) < 0)) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed after: " + text);
            }
            text.append((char) next);
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
