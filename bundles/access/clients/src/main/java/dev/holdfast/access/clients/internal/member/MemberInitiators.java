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
 * The secrets of the kernels of nodes for the volumes that this node serves. At each login it calls
 * the node of the ticket, and keeps the reply in a file, so that the kernel of that node can
 * reconnect while the node restarts. Thread-safe.
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

  /** Nodes by the initiator of their kernel, for each volume. */
  private final Map<String, Map<String, String>> nodes = new ConcurrentHashMap<>();

  /**
   * Reads the initiators from the kept files.
   *
   * @param self name of this node
   * @param data state directory of this node
   * @param channels to the other nodes, empty while they are unavailable
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

  /**
   * Loads the kept files, so that existing connections keep their rights after a restart of the
   * bundle.
   */
  private void load() throws StorageException {
    for (Map.Entry<String, InitiatorFolder> kept : folders().entrySet()) {
      for (String volume : kept.getValue().volumes()) {
        kept.getValue()
            .read(volume)
            .ifPresent(found -> known(found.initiator(), volume, kept.getKey()));
      }
    }
  }

  /** Returns the folders of secrets by node. */
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
   * @param initiator IQN or NQN of the initiator
   * @param volume the requested volume
   * @param holders nodes in the tickets of the volume
   * @return empty if the initiator is not a kernel of these nodes
   * @throws StorageException UNREACHABLE or TIMEOUT when one of the nodes does not answer and its
   *     secret is not kept; IO
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
   * Returns the credentials of the kernels that connect to a volume by NVMe, by node.
   *
   * @param holders nodes in the tickets of the volume
   * @param earlier an earlier result, used for a node that does not answer
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
        return Optional.empty(); // an earlier release, or a volume that another node serves
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
   * Returns the node of an initiator, according to its secrets for volumes.
   *
   * @param initiator IQN or NQN of the initiator
   * @return nodes by volume; empty for an initiator that never connected
   */
  public Map<String, String> nodesOf(String initiator) {
    return nodes.getOrDefault(initiator, Map.of());
  }

  /**
   * Deletes the secrets of nodes without a ticket.
   *
   * @param byMember volumes of the tickets by node
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
