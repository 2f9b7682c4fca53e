package dev.holdfast.client;

import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareSquash;
import java.util.List;
import java.util.Optional;

/**
 * Requested settings of a share; omitted settings stay unchanged.
 *
 * @param volume the volume, which is also the name of the share
 * @param address floating address as IP/LENGTH%INTERFACE; empty text for the node's own address
 * @param clients addresses and networks that may mount the share; empty list for the nodes of the
 *     cluster only
 * @param readOnly whether these clients may only read
 * @param squash users of clients that become anonymous
 * @param keyFile file on each node with the passphrase of an encrypted volume; empty text for none
 * @param keySecret secret with the passphrase, which each node can read; empty text for none. A new
 *     file replaces the secret, and a new secret the file
 */
public record ShareSettings(
    String volume,
    Optional<String> address,
    Optional<List<String>> clients,
    boolean readOnly,
    Optional<ShareSquash> squash,
    Optional<String> keyFile,
    Optional<String> keySecret) {
  /** Copies the list. */
  public ShareSettings {
    clients = clients.map(List::copyOf);
  }

  /** Returns settings that leave a share unchanged. */
  public static ShareSettings of(String volume) {
    return new ShareSettings(
        volume,
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Returns the spec with these settings and serve set. */
  ShareManagerSpec applied(ShareManagerSpec spec) {
    return spec.withServe(true)
        .withAddress(address.orElse(spec.address()))
        .withAllowedClients(clients.map(this::allowed).orElse(spec.allowedClients()))
        .withSquash(squash.orElse(spec.squash()))
        .withKeyFile(keyFile.orElse(isNamed(keySecret) ? "" : spec.keyFile()))
        .withKeySecret(keySecret.orElse(isNamed(keyFile) ? "" : spec.keySecret()));
  }

  private static boolean isNamed(Optional<String> place) {
    return place.filter(name -> !name.isEmpty()).isPresent();
  }

  private List<AllowedClient> allowed(List<String> addresses) {
    return addresses.stream()
        .map(address -> new AllowedClient(address, readOnly, Optional.empty()))
        .toList();
  }
}
