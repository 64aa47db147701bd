package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.testkit.PerigeeFleet;
import dev.perigee.testkit.PerigeeTest;
import org.junit.jupiter.api.Test;

@PerigeeTest
class GreetingTest {
    @Test
    void greets(PerigeeFleet fleet) throws Exception {
        var server = fleet.installSample(); // online, for a user of its own

        // Here your backend, which is on fleet.bootstrap(), would ask server.toolPath("echo").
        var answer = server.call("echo", "{\"message\": \"hi\"}");

        assertEquals(ToolOutcome.SUCCESS, answer.outcome());
    }
}
