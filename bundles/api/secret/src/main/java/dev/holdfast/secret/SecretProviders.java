package dev.holdfast.secret;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The providers of secrets on this node: the node's directory, and the cluster's secrets if they
 * exist. Each component that reads secrets has an object and passes the services to it.
 * Thread-safe.
 */
public final class SecretProviders {
  private static final String RANKING = "service.ranking";

  private record Ranked(Secrets provider, int ranking) {}

  private final List<Ranked> providers = new CopyOnWriteArrayList<>();

  /** Creates an object that knows no provider yet. */
  public SecretProviders() {}

  /**
   * Adds a provider.
   *
   * @param properties of the service, with its ranking, not null
   */
  public void add(Secrets provider, Map<String, ?> properties) {
    int ranking = properties.get(RANKING) instanceof Integer value ? value : 0;
    providers.add(new Ranked(provider, ranking));
  }

  /** Removes a provider; succeeds if it is absent. */
  public void remove(Secrets provider) {
    providers.removeIf(ranked -> ranked.provider() == provider);
  }

  /**
   * Reads a secret from the provider of the highest ranking that has it. A failing provider does
   * not hide the others.
   *
   * @param name of the secret, not null
   * @return at least one value by its key, never null
   * @throws StorageException NOT_FOUND; the failure of a provider if no other provider has the
   *     secret
   */
  public Map<String, byte[]> require(String name) throws StorageException {
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
    // Callers retry, because the secret may be created later.
    throw failure.orElseGet(
        () ->
            new StorageException(
                ErrorCode.NOT_FOUND,
                "secret "
                    + name
                    + " does not exist on this node: set it with 'holdfast"
                    + " secret set "
                    + name
                    + " KEY' on each node, or as a Secret in Holdfast's namespace on Kubernetes"));
  }
}
