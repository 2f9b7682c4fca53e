package dev.holdfast.access.clients.internal;

import dev.holdfast.access.BlockClient;
import dev.holdfast.access.ClientAccess;
import dev.holdfast.access.ClientCertificate;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.resource.attachment.VolumeAttachment;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Snapshot of the clients and members. Immutable.
 *
 * @param byCertificate clients by the fingerprint of a certificate
 * @param byInitiator clients by their name in iSCSI or NVMe
 * @param byMember volumes by the nodes in their tickets
 */
record ClientTable(
    Map<String, BlockClient> byCertificate,
    Map<String, BlockClient> byInitiator,
    Map<String, Set<String>> byMember) {
  static final ClientTable EMPTY = new ClientTable(Map.of(), Map.of(), Map.of());

  /**
   * Builds the table. If two clients have the same certificate or initiator, the first one by name
   * has it.
   */
  static ClientTable of(Collection<BlockClient> clients, Collection<VolumeAttachment> attachments) {
    Map<String, BlockClient> byCertificate = new HashMap<>();
    Map<String, BlockClient> byInitiator = new HashMap<>();
    clients.stream()
        .filter(client -> !client.isBeingDeleted())
        .sorted((one, other) -> one.name().compareTo(other.name()))
        .forEach(
            client -> {
              client
                  .spec()
                  .certificates()
                  .forEach(
                      certificate -> byCertificate.putIfAbsent(certificate.fingerprint(), client));
              client.spec().initiators().forEach(name -> byInitiator.putIfAbsent(name, client));
            });
    Map<String, Set<String>> byMember = new HashMap<>();
    for (VolumeAttachment attachment : attachments) {
      attachment
          .spec()
          .attachmentTickets()
          .values()
          .forEach(
              ticket ->
                  ticket
                      .nodes()
                      .forEach(
                          node ->
                              byMember
                                  .computeIfAbsent(node, name -> new HashSet<>())
                                  .add(attachment.name())));
    }
    return new ClientTable(
        Map.copyOf(byCertificate), Map.copyOf(byInitiator), Map.copyOf(byMember));
  }

  /** Returns the rights of an identity at a time. */
  Optional<ClientRights> rights(ClientIdentity identity, Instant now) {
    return switch (identity.type()) {
      case CERTIFICATE ->
          Optional.ofNullable(byCertificate.get(identity.name()))
              .filter(client -> accepts(client, identity.name(), now))
              .map(ClientTable::rights);
      case INITIATOR -> initiator(identity.name(), now).map(ClientTable::rights);
      case MEMBER ->
          Optional.of(
              new ClientRights(
                  "node " + identity.name(),
                  export ->
                      byMember.getOrDefault(identity.name(), Set.of()).contains(volumeOf(export)),
                  false));
      case CONFIGURED -> Optional.empty();
    };
  }

  /**
   * Returns the volume of an export. A snapshot is exported as {@code volume@snapshot}, and a
   * ticket of its volume admits to it.
   */
  static String volumeOf(String export) {
    int end = export.indexOf('@');
    return end < 0 ? export : export.substring(0, end);
  }

  /** Returns the rights of the initiators that may use an export at a time. */
  Map<String, ClientRights> initiators(String export, Instant now) {
    Map<String, ClientRights> found = new TreeMap<>();
    for (String name : byInitiator.keySet()) {
      initiator(name, now)
          .map(ClientTable::rights)
          .filter(rights -> rights.shows(export))
          .ifPresent(rights -> found.put(name, rights));
    }
    return found;
  }

  /** Returns the nodes in the tickets of a volume, sorted. */
  List<String> holders(String volume) {
    return byMember.entrySet().stream()
        .filter(member -> member.getValue().contains(volume))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Returns the client with an initiator, unless it has expired. */
  Optional<BlockClient> initiator(String name, Instant now) {
    return Optional.ofNullable(byInitiator.get(name))
        .filter(client -> holds(client.spec().expiresAt(), now));
  }

  private static boolean accepts(BlockClient client, String fingerprint, Instant now) {
    return holds(client.spec().expiresAt(), now)
        && client.spec().certificates().stream()
            .filter(certificate -> certificate.fingerprint().equals(fingerprint))
            .map(ClientCertificate::acceptedUntil)
            .anyMatch(end -> holds(end, now));
  }

  private static boolean holds(Optional<Instant> end, Instant now) {
    return end.map(now::isBefore).orElse(true);
  }

  private static ClientRights rights(BlockClient client) {
    return new ClientRights(
        client.name(), client.spec()::names, client.spec().access() == ClientAccess.READ_ONLY);
  }
}
