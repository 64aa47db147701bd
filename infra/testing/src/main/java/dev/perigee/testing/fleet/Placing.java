package dev.perigee.testing.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.gateway.placement.RendezvousPlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;

/**
 * Prediction of a fleet's placement. It goes by hashes of the names of workers and users, so that
 * by chance a worker has none of a test's servers: a test that needs one there asks here.
 *
 * @param workerIds the workers that serve; those of the first have the number 1
 */
public record Placing(int partitions, List<String> workerIds) {

    public Placing {
        if (partitions < workerIds.size()) {
            throw new IllegalArgumentException(
                    partitions + " partitions do not do for workers " + workerIds);
        }
        workerIds = List.copyOf(workerIds);
    }

    /** Whether each worker has partitions. */
    boolean eachHasSome() {
        return IntStream.range(0, partitions).mapToObj(this::placed).distinct().count()
                >= workerIds.size();
    }

    /** A fixture of a user whom a worker serves, which must have partitions. */
    public Installation fixtureOn(int worker) {
        return on(worker, Installation::fixture);
    }

    /** The first of these whose user a worker serves, which must have partitions. */
    public Installation on(int worker, Supplier<Installation> kind) {
        return Stream.generate(kind)
                .filter(each -> workerOf(each) == worker)
                .findFirst()
                .orElseThrow();
    }

    /** Fixtures of users whom the workers serve in turn. */
    public List<Installation> fixtures(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> fixtureOn(number % workerIds.size() + 1))
                .toList();
    }

    /** Fixtures of users of whom each partition has one, in the partitions' order. */
    public List<Installation> onEach() {
        return IntStream.range(0, partitions)
                .mapToObj(
                        partition ->
                                Stream.generate(Installation::fixture)
                                        .filter(each -> partitionOf(each) == partition)
                                        .findFirst()
                                        .orElseThrow())
                .toList();
    }

    /** The same installation of so many users, whom the workers serve in turn. */
    public List<Installation> usersOf(Installation installation, int count) {
        var users = new ArrayList<Installation>();
        for (int number = 0; users.size() < count; number++) {
            var user = installation.ofUser("user-" + number);
            if (workerOf(user) == users.size() % workerIds.size() + 1) {
                users.add(user);
            }
        }
        return List.copyOf(users);
    }

    private int workerOf(Installation installation) {
        return workerIds.indexOf(placed(partitionOf(installation))) + 1;
    }

    int partitionOf(Installation installation) {
        return Utils.toPositive(Utils.murmur2(installation.key().getBytes(UTF_8))) % partitions;
    }

    private String placed(int partition) {
        var weights = workerIds.stream().collect(Collectors.toMap(Function.identity(), _ -> 1.0));
        return Objects.requireNonNullElse(RendezvousPlacement.choose(partition, weights), "");
    }
}
