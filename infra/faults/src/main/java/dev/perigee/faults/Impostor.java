package dev.perigee.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A program that listens where a worker should and does what it can to be taken for one. It keeps
 * every byte that it is sent. Safe for use by any thread.
 */
public final class Impostor implements AutoCloseable {
    private static final int BACKLOG = 50;
    private static final String KEY = "Sec-WebSocket-Key: ";
    private static final String DATA = "data=";

    /** An empty ping: whoever takes the WebSocket for open answers it. */
    private static final byte[] PING = {(byte) 0x89, 0};

    private final Trick trick;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger upgrades = new AtomicInteger();
    private final AtomicInteger challenges = new AtomicInteger();
    private final ByteArrayOutputStream heads = new ByteArrayOutputStream();
    private final ByteArrayOutputStream frames = new ByteArrayOutputStream();

    /** What it tries. */
    public enum Trick {
        /** Opens the WebSocket at once, whatever it is asked. */
        OPENS_AT_ONCE,
        /** Asks for a proof as a worker does, and accepts any. */
        PROVES_NOTHING,
        /** The same, and makes a proof of its own up. */
        GUESSES,
        /** Asks for the token itself. */
        ASKS_FOR_THE_TOKEN,
        /** Sends on to an address of its own, in the hope for a bolder client. */
        REDIRECTS
    }

    /** Listens on a port of 127.0.0.1, 0 for any free one. */
    public Impostor(int port, Trick trick) throws IOException {
        this.trick = trick;
        this.listener = new ServerSocket(port, BACKLOG, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofPlatform().daemon().name("impostor-accept").start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** How often it made believe that a WebSocket is open. */
    public int upgrades() {
        return upgrades.get();
    }

    /** How often it answered a request in another way. */
    public int challenges() {
        return challenges.get();
    }

    /** Everything that it was sent, one character for a byte. */
    public String received() {
        return heads.toString(ISO_8859_1) + frames();
    }

    /** What of that came where it made believe that a WebSocket is open. */
    public String frames() {
        return frames.toString(ISO_8859_1);
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (var socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var socket = listener.accept();
                open.add(socket);
                Thread.ofPlatform().daemon().name("impostor").start(() -> serve(socket));
            } catch (IOException e) {
                // Closed: the next turn ends it.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = socket.getInputStream();
            while (true) {
                var head = head(in);
                if (head == null) {
                    return;
                }
                boolean opens = opens(head);
                var answer = opens ? opened(head) : refusal(head);
                socket.getOutputStream().write(answer.getBytes(US_ASCII));
                if (opens) {
                    socket.getOutputStream().write(PING);
                    upgrades.incrementAndGet();
                    in.transferTo(frames);
                    return;
                }
                challenges.incrementAndGet();
            }
        } catch (IOException e) {
            // The other side has gone.
        } finally {
            open.remove(socket);
        }
    }

    /** A request's head, null at the end. */
    private @Nullable String head(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            heads.write(next);
            text.append((char) next);
        }
        return text.toString();
    }

    private boolean opens(String head) {
        return head.contains(KEY)
                && switch (trick) {
                    case OPENS_AT_ONCE, PROVES_NOTHING, GUESSES -> true;
                    case ASKS_FOR_THE_TOKEN, REDIRECTS -> false;
                };
    }

    private String opened(String head) {
        var proof =
                Base64.getEncoder()
                        .encodeToString(("v=" + "A".repeat(43) + "=").getBytes(US_ASCII));
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: "
                + accepted(after(head, KEY))
                + "\r\n"
                + (trick == Trick.GUESSES ? "Authentication-Info: data=" + proof + "\r\n" : "")
                + "\r\n";
    }

    private String refusal(String head) {
        return switch (trick) {
            case OPENS_AT_ONCE -> answer("404 Not Found", "");
            case PROVES_NOTHING, GUESSES ->
                    answer(
                            "401 Unauthorized",
                            "WWW-Authenticate: SCRAM-SHA-256 data=" + challenge(head) + "\r\n");
            case ASKS_FOR_THE_TOKEN -> answer("401 Unauthorized", "WWW-Authenticate: Bearer\r\n");
            case REDIRECTS ->
                    answer(
                            "307 Temporary Redirect",
                            "Location: http://127.0.0.1:" + port() + "/elsewhere\r\n");
        };
    }

    private static String answer(String status, String header) {
        return "HTTP/1.1 " + status + "\r\n" + header + "Content-Length: 0\r\n\r\n";
    }

    /** With few iterations, so that a password that is easy to guess could be guessed quickly. */
    private static String challenge(String head) {
        if (!head.contains(DATA)) {
            return "";
        }
        var first = new String(Base64.getDecoder().decode(after(head, DATA)), US_ASCII);
        var nonce = first.substring(first.indexOf("r=") + 2);
        var text = "r=" + nonce + "impostor,s=c2FsdHNhbHRzYWx0,i=4096";
        return Base64.getEncoder().encodeToString(text.getBytes(US_ASCII));
    }

    private static String after(String head, String name) {
        int from = head.indexOf(name) + name.length();
        return head.substring(from, head.indexOf("\r\n", from));
    }

    private static String accepted(String key) {
        try {
            var text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
            return Base64.getEncoder()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-1").digest(text.getBytes(US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
