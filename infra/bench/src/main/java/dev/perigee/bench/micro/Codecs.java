package dev.perigee.bench.micro;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Records and link messages, from bytes and to bytes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Codecs {
    private final byte[] requestBytes =
            Json.write(
                    ToolRequest.call(
                            "0123abcd000000000042",
                            "team",
                            "user",
                            "echo:echo",
                            RawJson.of("{\"message\":\"hi\"}"),
                            30_000L));
    private final ToolResult result =
            new ToolResult(
                    ToolResult.EVENT,
                    "0123abcd000000000042",
                    "team",
                    "user",
                    "echo-team-user-echo",
                    "echo:echo",
                    ToolOutcome.SUCCESS,
                    RawJson.of("{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"),
                    null,
                    1,
                    1,
                    Instant.EPOCH);
    private final LinkFrame frame =
            new LinkFrame.Request(42, "tool/execute", RawJson.ofBytes(requestBytes));
    private final byte[] frameBytes = frame.encode();

    @Benchmark
    public ToolRequest readRequest() {
        return ToolRequest.read(requestBytes);
    }

    @Benchmark
    public byte[] writeResult() {
        return Json.write(result);
    }

    @Benchmark
    public byte[] encodeFrame() {
        return frame.encode();
    }

    @Benchmark
    public LinkFrame decodeFrame() {
        return LinkFrame.decode(frameBytes);
    }
}
