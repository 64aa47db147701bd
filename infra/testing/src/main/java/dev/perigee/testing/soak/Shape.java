package dev.perigee.testing.soak;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Shape of a fleet: one broker, and so many gateways, workers and users, of whom each has a server.
 */
public record Shape(int gateways, int workers, int users, Times times) {
    static final String BROKER = "broker-1";

    public Shape {
        if (gateways < 1 || workers < 1 || users < 1) {
            throw new IllegalArgumentException("A fleet has at least one of each");
        }
    }

    List<String> gatewayNames() {
        return IntStream.rangeClosed(1, gateways).mapToObj(i -> "gateway-" + i).toList();
    }

    List<String> workerNames() {
        return IntStream.rangeClosed(1, workers).mapToObj(i -> "worker-" + i).toList();
    }

    /** The names of all its parts. */
    List<String> parts() {
        return Stream.of(List.of(BROKER), gatewayNames(), workerNames())
                .flatMap(List::stream)
                .toList();
    }
}
