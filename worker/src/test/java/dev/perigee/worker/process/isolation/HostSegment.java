package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A segment of System V shared memory on the host. */
final class HostSegment implements AutoCloseable {
    private static final String CREATE =
            "import ctypes,sys; print(ctypes.CDLL(None).shmget(int(sys.argv[1]), 4096, 0o1666))";
    private static final String REMOVE =
            "import ctypes,sys; print(ctypes.CDLL(None).shmctl(int(sys.argv[1]), 0, None))";
    private static final String FIND =
            "import ctypes,sys; print(ctypes.CDLL(None).shmget(int(sys.argv[1]), 0, 0))";

    private final int key = ThreadLocalRandom.current().nextInt(1 << 20, 1 << 30);
    private final int id = python(CREATE, key);

    int key() {
        return key;
    }

    boolean seenOutside() {
        return python(FIND, key) == id;
    }

    @Override
    public void close() {
        python(REMOVE, id);
    }

    private static int python(String program, int argument) {
        try {
            var command = new ArrayList<>(List.of(Jails.PYTHON, "-c", program));
            command.add(Integer.toString(argument));
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var output = process.getInputStream()) {
                var text = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
                return Integer.parseInt(text);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
