package dev.holdfast.access.clients.internal.member;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the secrets of the kernels of nodes for the volumes that this node serves. At each login it
 * calls the node of the ticket, and keeps the reply in a file, so that the kernel of that node can
 * reconnect by the kept secret while the node restarts. Thread-safe.
 *
 * <pre>
 *   login of an initiator to a volume --> nodes with a ticket for it --> RPC, else kept file
 *                                         this node ------------------> its own files
 * </pre>
 */
public final class MemberInitiators {
  private static final Logger LOG = LoggerFactory.getLogger(MemberInitiators.class);

  private final String self;
  private final Path data;
  private final InitiatorCalls calls;

  /** Nodes by the initiators of their kernels, for each volume. */
  private final Map<String, Map<String, String>> nodes = new ConcurrentHashMap<>();

  /**
   * Knows the initiators of the files that are kept.
   *
   * @param self name of this node
   * @param data state directory of this node
   * @param channels to the other nodes, empty while there are none
   */
  public MemberInitiators(String self, Path data, Supplier<Optional<NodeChannels>> channels) {
    this.self = self;
    this.data = data;
    this.calls = new InitiatorCalls(channels);
    try {
      load();
    } catch (StorageException e) {
      LOG.warn("secrets of initiators: could not read the kept ones: {}", e.getMessage());
    }
  }

  /** Connections that exist keep their rights when the bundle starts again. */
  private void load() throws StorageException {
    for (Map.Entry<String, InitiatorFolder> kept : folders().entrySet()) {
      for (String volume : kept.getValue().volumes()) {
        kept.getValue()
            .read(volume)
            .ifPresent(found -> known(found.initiator(), volume, kept.getKey()));
      }
    }
  }

  /** Returns the folders of secrets by the nodes whose kernels have them. */
  private Map<String, InitiatorFolder> folders() throws StorageException {
    Map<String, InitiatorFolder> folders = new TreeMap<>();
    InitiatorFolder.ofNode(data).ifPresent(own -> folders.put(self, own));
    Path peers = InitiatorFolder.ofPeers(data);
    if (Files.isDirectory(peers)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(peers)) {
        found.forEach(
            folder -> folders.put(folder.getFileName().toString(), new InitiatorFolder(folder)));
      } catch (IOException e) {
        throw StorageException.io("list " + peers, e);
      }
    }
    return folders;
  }

  private void known(String initiator, String volume, String node) {
    nodes.computeIfAbsent(initiator, name -> new ConcurrentHashMap<>()).put(volume, node);
  }

  /**
   * Returns the credential of an initiator for a volume.
   *
   * @param initiator its IQN or NQN
   * @param volume that it connects to
   * @param holders the nodes that a ticket of the volume names
   * @return empty when no kernel of these nodes connects by that name
   * @throws StorageException UNREACHABLE or TIMEOUT when one of the nodes does not answer, and no
   *     secret of it is kept; IO
   */
  public Optional<InitiatorCredential> credential(
      String initiator, String volume, Collection<String> holders) throws StorageException {
    StorageException failure = null;
    for (String node : holders) {
      try {
        Optional<InitiatorCredential> found =
            ofNode(node, volume).filter(one -> one.initiator().equals(initiator));
        if (found.isPresent()) {
          known(initiator, volume, node);
          return found;
        }
      } catch (StorageException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return Optional.empty();
  }

  /**
   * Returns the credentials of the kernels that connect to a volume by NVMe, by the nodes.
   *
   * @param holders the nodes that a ticket of the volume names
   * @param earlier an earlier result, which counts for a node that cannot answer
   */
  Map<String, InitiatorCredential> kernels(
      String volume, Collection<String> holders, Map<String, InitiatorCredential> earlier) {
    Map<String, InitiatorCredential> found = new TreeMap<>();
    for (String node : holders) {
      try {
        ofNode(node, volume)
            .filter(MemberKernels::isNvme)
            .ifPresent(credential -> found.put(node, credential));
      } catch (StorageException e) {
        LOG.debug("volume {}: node {} did not report the secret of its kernel", volume, node, e);
        Optional.ofNullable(earlier.get(node)).ifPresent(kept -> found.put(node, kept));
      }
    }
    return found;
  }

  private Optional<InitiatorCredential> ofNode(String node, String volume) throws StorageException {
    if (node.equals(self)) {
      Optional<InitiatorFolder> own = InitiatorFolder.ofNode(data);
      return own.isEmpty() ? Optional.empty() : own.get().read(volume);
    }
    InitiatorFolder kept = InitiatorFolder.ofPeer(data, node);
    Optional<InitiatorCredential> present;
    try {
      present = calls.credential(node, volume);
    } catch (StorageException e) {
      Optional<InitiatorCredential> earlier = kept.read(volume);
      if (earlier.isPresent()) {
        return earlier;
      }
      if (e.code() == ErrorCode.UNSUPPORTED || e.code() == ErrorCode.FORBIDDEN) {
        return Optional.empty(); // an earlier release, or a volume that is served elsewhere
      }
      throw e;
    }
    if (present.isEmpty()) {
      kept.delete(volume);
    } else if (!kept.read(volume).equals(present)) {
      kept.write(volume, present.get());
    }
    return present;
  }

  /**
   * Returns which node an initiator belongs to, by a secret that it gave for a volume.
   *
   * @param initiator its IQN or NQN
   * @return nodes by the volumes; empty for an initiator that never connected
   */
  public Map<String, String> nodesOf(String initiator) {
    return nodes.getOrDefault(initiator, Map.of());
  }

  /**
   * Forgets the secrets of nodes without a ticket.
   *
   * @param byMember the volumes of the tickets, by the nodes that they name
   * @throws StorageException IO
   */
  public void retain(Map<String, Set<String>> byMember) throws StorageException {
    nodes
        .values()
        .forEach(
            volumes ->
                volumes
                    .entrySet()
                    .removeIf(
                        one ->
                            !byMember
                                .getOrDefault(one.getValue(), Set.of())
                                .contains(one.getKey())));
    nodes.values().removeIf(Map::isEmpty);
    for (Map.Entry<String, InitiatorFolder> kept : folders().entrySet()) {
      if (!kept.getKey().equals(self)) {
        Set<String> held = byMember.getOrDefault(kept.getKey(), Set.of());
        for (String volume : kept.getValue().volumes()) {
          if (!held.contains(volume)) {
            kept.getValue().delete(volume);
          }
        }
      }
    }
  }
}
