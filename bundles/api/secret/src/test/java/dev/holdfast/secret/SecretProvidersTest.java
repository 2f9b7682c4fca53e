package dev.holdfast.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The node's secrets, the cluster's, and which of them count. */
class SecretProvidersTest {
  private static final Map<String, byte[]> FIRST = Map.of("key", new byte[] {1});
  private static final Map<String, byte[]> SECOND = Map.of("key", new byte[] {2});
  private static final Secrets FORBIDDEN =
      name -> {
        throw new StorageException(ErrorCode.FORBIDDEN, "the secret " + name + " is not for you");
      };

  private final SecretProviders providers = new SecretProviders();

  private static Secrets with(Map<String, byte[]> values) {
    return name -> Optional.of(values).filter(found -> name.equals("s3"));
  }

  private static Map<String, Object> ranking(int ranking) {
    return Map.of("service.ranking", ranking);
  }

  @Test
  void highestRankingCountsAndIsReplacedWhenItGoes() throws StorageException {
    Secrets higher = with(SECOND);
    providers.add(with(FIRST), Map.of());
    providers.add(higher, ranking(10));
    assertThat(providers.require("s3")).isSameAs(SECOND);
    providers.remove(higher);
    assertThat(providers.require("s3")).isSameAs(FIRST);
  }

  @Test
  void providerThatFailsDoesNotHideTheOthers() throws StorageException {
    providers.add(FORBIDDEN, ranking(10));
    providers.add(with(FIRST), Map.of());
    assertThat(providers.require("s3")).isSameAs(FIRST);
    assertThatThrownBy(() -> providers.require("other")).hasMessageContaining("is not for you");
  }

  @Test
  void absentSecretIsReportedWithItsRemedy() {
    providers.add(with(FIRST), Map.of());
    assertThatThrownBy(() -> providers.require("other"))
        .hasMessageContaining("'holdfast secret set other KEY'");
  }
}
