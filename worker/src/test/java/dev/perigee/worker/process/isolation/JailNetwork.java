package dev.perigee.worker.process.isolation;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jails of one test whose programs have networks of their own: names lead to what the test says,
 * and lookups and refusals are noted.
 */
final class JailNetwork implements AutoCloseable {

    /** What names lead to; a test may change it. */
    final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();

    final Queue<String> asked = new ConcurrentLinkedQueue<>();
    final Queue<String> refused = new ConcurrentLinkedQueue<>();

    private final JailKind kind;
    private @Nullable Jails jails;

    JailNetwork(JailKind kind) {
        this.kind = kind;
    }

    /** Opens the jails, with the test's own policy. */
    void open(Path caches, List<String> allow, List<String> deny, Map<String, String> settings)
            throws Exception {
        var guards = new EgressGuards(EgressPolicy.of(allow, deny), (host, _) -> addresses(host));
        jails = Jails.open(caches, kind.with(settings), guards);
    }

    private List<InetAddress> addresses(String host) throws UnknownHostException {
        asked.add(host);
        var found = known.get(host);
        if (found == null) {
            throw new UnknownHostException(host);
        }
        return found;
    }

    Jails jails() {
        return Objects.requireNonNull(jails, "not open");
    }

    /** Has a program of an installation with this list, or with none, try one thing. */
    Jails.Deed attempt(@Nullable List<EgressRule> only, String what, Object... more)
            throws Exception {
        return attempt(Jails.home("team"), new ProgramEgress(only, refused::add), what, more);
    }

    Jails.Deed attempt(Home home, ProgramEgress reach, String what, Object... more)
            throws Exception {
        var program = Jails.resource("/networked.py");
        var command = new ArrayList<>(List.of(Jails.PYTHON, "-c", program, jails().token, what));
        Stream.of(more).map(Object::toString).forEach(command::add);
        return jails().start(
                        new ServerProgram(home, ServerRuntime.PYTHON, command, Map.of()), reach);
    }

    /** The lines that a program without a list prints when it has tried one thing. */
    List<String> tell(String what, Object... more) throws Exception {
        return attempt(null, what, more).told().lines().toList();
    }

    @Override
    public void close() {
        if (jails != null) {
            jails.close();
        }
    }
}
