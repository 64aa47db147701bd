package dev.perigee.gateway.partition;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.QuestionResume;
import java.time.Instant;

/**
 * A question of a running call by which another worker can go on, until somebody answers it. Holds
 * memory of the gateway. For the owner's thread.
 */
final class OpenQuestion {
    private final RawJson resume;
    private final String inputId;
    private final Instant expiresAt;
    private final OpenArguments.Room room;

    private OpenQuestion(RawJson resume, QuestionResume read, OpenArguments.Room room) {
        this.resume = resume;
        this.inputId = read.inputId();
        this.expiresAt = read.expiresAt();
        this.room = room;
    }

    /**
     * Reads what a worker says.
     *
     * @throws dev.perigee.protocol.json.InvalidRecordException when it is none
     */
    static OpenQuestion of(RawJson resume, OpenArguments.Room room) {
        return new OpenQuestion(resume, Json.read(resume, QuestionResume.class), room);
    }

    /** For the next worker. */
    RawJson resume() {
        return resume;
    }

    String inputId() {
        return inputId;
    }

    Instant expiresAt() {
        return expiresAt;
    }

    void letGo() {
        room.giveBack();
    }
}
