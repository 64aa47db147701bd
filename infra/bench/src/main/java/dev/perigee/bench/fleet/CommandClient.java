package dev.perigee.bench.fleet;

import dev.perigee.bench.load.LoadClients;
import dev.perigee.bench.load.RecordLoop;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.Dormant;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Installs servers as a backend does, and hears when they are online or dormant. */
public final class CommandClient implements AutoCloseable {
    private final String commands;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordLoop results;
    private final RecordLoop lifecycle;
    private final Map<String, CompletableFuture<CommandResult>> waiting = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<Long>> dormant = new ConcurrentHashMap<>();

    private CommandClient(BenchFleet fleet) {
        var topics = fleet.topics();
        this.commands = topics.of(Topic.COMMANDS);
        this.producer = LoadClients.producer(fleet.bootstrap());
        this.results =
                RecordLoop.start(fleet.bootstrap(), topics.of(Topic.COMMAND_RESULTS), this::result);
        this.lifecycle =
                RecordLoop.start(fleet.bootstrap(), topics.of(Topic.LIFECYCLE), this::lifecycle);
    }

    /** Connects, and returns when what is produced from now on is seen. */
    public static CommandClient connect(BenchFleet fleet) {
        return new CommandClient(fleet);
    }

    /**
     * Installs a server for each of these users, all at once.
     *
     * @return nanoseconds from the first command to the last result
     * @throws IOException when one does not come online within the patience
     */
    public long install(EchoProgram server, List<RecordKey> users, Duration patience)
            throws IOException, InterruptedException {
        var ends = new ArrayList<CompletableFuture<CommandResult>>();
        long begin = System.nanoTime();
        for (var user : users) {
            ends.add(send(user, server.installedFor(user)));
        }
        long end = begin + patience.toNanos();
        for (var each : ends) {
            var result = await(each, end - System.nanoTime(), "an installation");
            if (result.result() == null
                    || result.result().resultingStatus() != ServerStatus.ONLINE) {
                throw new IOException("A server did not come online: " + result);
            }
        }
        return System.nanoTime() - begin;
    }

    private CompletableFuture<CommandResult> send(RecordKey user, ServerConfig config) {
        var id = "install-" + config.processId();
        var command =
                new Command(
                        id,
                        CommandType.CONFIGURE,
                        null,
                        null,
                        null,
                        null,
                        CommandPayload.install(config));
        var end = new CompletableFuture<CommandResult>();
        waiting.put(id, end);
        var key = user.toString().getBytes(StandardCharsets.UTF_8);
        var _ = producer.send(new ProducerRecord<>(commands, key, Json.write(command)));
        return end;
    }

    /**
     * To be asked before it happens: completed when an instance of this user's has gone dormant.
     */
    public CompletableFuture<Long> dormant(ServerConfig config) {
        var moment = new CompletableFuture<Long>();
        dormant.put(config.processId(), moment);
        return moment;
    }

    /** Waits for what must come. */
    public static <T> T await(CompletableFuture<T> future, long nanos, String what)
            throws IOException, InterruptedException {
        try {
            return future.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("The fleet did not tell of " + what + " in time", e);
        }
    }

    private void result(ConsumerRecord<byte[], byte[]> record) {
        var result = Json.read(record.value(), CommandResult.class);
        if (result.outcome() != CommandOutcome.ACKNOWLEDGED) {
            var end = waiting.remove(result.commandId());
            if (end != null) {
                end.complete(result);
            }
        }
    }

    private void lifecycle(ConsumerRecord<byte[], byte[]> record) {
        if (dormant.isEmpty()) {
            return;
        }
        var event = Event.read(record.value());
        if (event.body() instanceof Dormant) {
            var moment = dormant.remove(event.origin().processId());
            if (moment != null) {
                moment.complete(System.nanoTime());
            }
        }
    }

    @Override
    public void close() {
        producer.close();
        results.close();
        lifecycle.close();
    }
}
