package dev.holdfast.client;

import dev.holdfast.access.BlockClient;
import dev.holdfast.access.BlockClientSpec;
import dev.holdfast.access.ClientCertificate;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Clients of volumes on other hosts. Thread-safe. */
public final class BlockClients {
  private final ResourceStore store;

  /** Manages the clients of a store. */
  public BlockClients(ResourceStore store) {
    this.store = store;
  }

  /**
   * Creates a client.
   *
   * @throws StorageException ALREADY_EXISTS; INVALID with the field
   */
  public BlockClient add(String name, BlockClientSpec spec) throws StorageException {
    return store.create(BlockClient.of(name, spec));
  }

  /** Returns all clients by name. */
  public ResourceList<BlockClient> list() throws StorageException {
    return store.list(BlockClient.KIND, LabelSelector.ALL);
  }

  /**
   * Returns a client.
   *
   * @throws StorageException NOT_FOUND
   */
  public BlockClient get(String name) throws StorageException {
    Optional<BlockClient> found = store.get(BlockClient.KIND, name);
    if (found.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, "client " + name + " does not exist: see 'holdfast client list'");
    }
    return found.get();
  }

  /**
   * Adds a certificate to a client, and sets the end of the earlier ones.
   *
   * @param fingerprint of the new certificate
   * @param end of the client's rights
   * @param now the present time; expired certificates are removed
   * @param overlap period in which the earlier certificates remain valid
   * @throws StorageException NOT_FOUND
   */
  public BlockClient rotate(
      String name, String fingerprint, Instant end, Instant now, Duration overlap)
      throws StorageException {
    BlockClient found = get(name);
    return new StoreEditor(store)
        .edit(
            BlockClient.KIND,
            found.name(),
            client ->
                client.withSpec(
                    client
                        .spec()
                        .withCertificates(rotated(client.spec(), fingerprint, now, overlap))
                        .withExpiresAt(Optional.of(end))));
  }

  private static List<ClientCertificate> rotated(
      BlockClientSpec client, String fingerprint, Instant now, Duration overlap) {
    Instant overlapEnd = now.plus(overlap);
    List<ClientCertificate> certificates = new ArrayList<>();
    for (ClientCertificate earlier : client.certificates()) {
      Instant last = earlier.acceptedUntil().filter(overlapEnd::isAfter).orElse(overlapEnd);
      if (last.isAfter(now)) {
        certificates.add(earlier.withAcceptedUntil(Optional.of(last)));
      }
    }
    certificates.add(new ClientCertificate(fingerprint, Optional.empty()));
    return certificates;
  }

  /**
   * Removes a client. Its sessions end within 5 s.
   *
   * @throws StorageException NOT_FOUND
   */
  public void remove(String name) throws StorageException {
    BlockClient found = get(name);
    Optional<BlockClient> unused = store.delete(BlockClient.KIND, found.name(), "");
  }
}
