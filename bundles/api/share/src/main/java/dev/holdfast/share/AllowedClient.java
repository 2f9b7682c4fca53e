package dev.holdfast.share;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;

/**
 * Clients that may mount a share.
 *
 * @param address an IP address, or a network as IP/LENGTH
 * @param readOnly whether these clients may only read
 * @param squash users of these clients that become anonymous; empty for the share's squash
 */
@RecordBuilder
public record AllowedClient(String address, boolean readOnly, Optional<ShareSquash> squash)
    implements AllowedClientBuilder.With {
  /** Replaces null components by their defaults. */
  public AllowedClient {
    address = Defaults.text(address);
    squash = Defaults.optional(squash);
  }

  /** Returns the clients of an address or a network with write access. */
  public static AllowedClient of(String address) {
    return new AllowedClient(address, false, Optional.empty());
  }

  void check(Checks checks, String field) {
    checks.that(
        NetworkAddresses.isHostOrNetwork(address),
        field + ".address",
        address,
        "must be an IP address or a network as IP/LENGTH");
  }
}
