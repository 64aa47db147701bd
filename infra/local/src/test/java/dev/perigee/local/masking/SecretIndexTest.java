package dev.perigee.local.masking;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.masking.SecretIndex.TooManySecretsException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Secrets that are replaced everywhere")
final class SecretIndexTest {
    @Test
    @DisplayName("count with all their forms toward the bound")
    void bound() {
        var index = new SecretIndex();

        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 16; i++) {
                                index.add(i + "s".repeat(1 << 20), true);
                            }
                        })
                .isInstanceOf(TooManySecretsException.class);
    }
}
