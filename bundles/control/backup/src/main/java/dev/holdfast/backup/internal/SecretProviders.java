package dev.holdfast.backup.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.secret.Secrets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.framework.Constants;

/**
 * The providers of secrets on this node: its own directory, and that of the cluster where it has
 * one. Thread-safe.
 */
final class SecretProviders {
  private record Ranked(Secrets provider, int ranking) {}

  private final List<Ranked> providers = new CopyOnWriteArrayList<>();

  void add(Secrets provider, Map<String, ?> properties) {
    int ranking = properties.get(Constants.SERVICE_RANKING) instanceof Integer value ? value : 0;
    providers.add(new Ranked(provider, ranking));
  }

  void remove(Secrets provider) {
    providers.removeIf(ranked -> ranked.provider() == provider);
  }

  /**
   * Reads a secret from the provider of the highest ranking that has it. A provider that fails does
   * not hide the others.
   *
   * @throws StorageException NOT_FOUND; the failure of a provider when no other one has the secret
   */
  Map<String, byte[]> require(String name) throws StorageException {
    Optional<StorageException> failure = Optional.empty();
    for (Ranked ranked :
        providers.stream().sorted(Comparator.comparing(Ranked::ranking).reversed()).toList()) {
      try {
        Optional<Map<String, byte[]>> found = ranked.provider().read(name);
        if (found.isPresent()) {
          return found.get();
        }
      } catch (StorageException e) {
        failure = Optional.of(e);
      }
    }
    // Retried: it may be set later.
    throw failure.orElseGet(
        () ->
            new StorageException(
                ErrorCode.NOT_FOUND,
                "secret "
                    + name
                    + " of the backup target: does not exist on this node: set it with 'holdfast"
                    + " secret set "
                    + name
                    + " KEY' on each node, or as a Secret in Holdfast's namespace on Kubernetes"));
  }
}
