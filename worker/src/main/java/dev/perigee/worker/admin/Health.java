package dev.perigee.worker.admin;

import dev.perigee.protocol.json.Json;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Health of a part, check by check. Evaluated at each request; a check does not block.
 *
 * @param well the status when all checks hold, such as {@code ready}
 * @param checks what must hold, in the order in which it is shown
 */
public record Health(String well, List<Check> checks) {

    /**
     * One thing that must hold.
     *
     * @param part what it is about
     * @param reason a sentence for people: what it means that it does not hold
     */
    public record Check(String part, String reason, BooleanSupplier holds) {}

    /** One thing that does not hold. */
    record Obstacle(String part, String reason) {}

    /** A moment's answer; the gateway's has the same shape. */
    record Answer(String status, List<Obstacle> obstacles) {
        boolean isWell() {
            return obstacles.isEmpty();
        }

        byte[] encode() {
            return Json.write(this);
        }
    }

    Answer ask() {
        var obstacles =
                checks.stream()
                        .filter(check -> !check.holds().getAsBoolean())
                        .map(check -> new Obstacle(check.part(), check.reason()))
                        .toList();
        return new Answer(obstacles.isEmpty() ? well : "not_" + well, obstacles);
    }
}
