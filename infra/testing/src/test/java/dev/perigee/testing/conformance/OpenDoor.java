package dev.perigee.testing.conformance;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.connect.DoorOptions;
import dev.perigee.local.connect.DoorServer;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Door of a fleet under test, for the users of some installations. */
public final class OpenDoor {
    private OpenDoor() {}

    /** Opens it, with the tokens in that file, which is not there. */
    public static DoorServer of(FleetUnderTest fleet, Path tokens, List<Installation> users)
            throws IOException {
        return of(fleet, tokens, users, System.err::println);
    }

    /** The same with a receiver of its notices, called on any thread. */
    public static DoorServer of(
            FleetUnderTest fleet, Path tokens, List<Installation> users, Consumer<String> note)
            throws IOException {
        write(tokens, users);
        return DoorServer.start(
                new KafkaConnection(fleet.bootstrap(), fleet.names(), Map.of()),
                new DoorOptions(
                        new HostPort("127.0.0.1", 0),
                        tokens,
                        List.of(),
                        Duration.ofMinutes(2),
                        Duration.ofMinutes(30),
                        "1.0.0"),
                note);
    }

    /** Has a door's file let these users in, and no others. */
    public static void write(Path tokens, List<Installation> users) throws IOException {
        var beside = tokens.resolveSibling(tokens.getFileName() + ".new");
        Files.writeString(
                beside,
                users.stream()
                        .map(
                                each ->
                                        digest(token(each))
                                                + " "
                                                + each.key().replace('/', ' ')
                                                + "\n")
                        .collect(Collectors.joining()));
        Files.move(beside, tokens, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The token of an installation's user. */
    public static String token(Installation of) {
        return "token-of-" + of.userId();
    }

    private static String digest(String token) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
