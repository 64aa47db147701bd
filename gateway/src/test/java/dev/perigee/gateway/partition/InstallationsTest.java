package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.protocol.command.CommandError;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class InstallationsTest {
    private final Installations installations = new Installations(2, 10);

    @Test
    @DisplayName("TEN-11: a user's limit is exact, and the error names it")
    void limitsUsers() {
        assertThat(installations.refusal("t1", 1, 1)).isNull();
        assertThat(installations.refusal("t1", 2, 1))
                .isEqualTo(
                        new CommandError(
                                "too_many_installations",
                                "The user has 2 installations and limits.user.installations is 2:"
                                        + " delete one, or have the limit raised"));
    }

    @Test
    @DisplayName("TEN-11: a team's are counted over the partitions that the gateway has now")
    void limitsTeams() {
        var left = new Tenure(1, 1);
        installations.count(left, Map.of("t1", 5, "t2", 100));
        installations.count(new Tenure(2, 2), Map.of("t1", 4));

        assertThat(installations.refusal("t1", 0, 0)).isNull();
        assertThat(Objects.requireNonNull(installations.refusal("t1", 0, 1)).message())
                .startsWith("The team has 10 installations and limits.team.installations is 10");

        installations.forget(left);
        assertThat(installations.refusal("t1", 0, 1)).isNull();
    }
}
