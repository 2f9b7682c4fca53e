package dev.holdfast.node.internal;

import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Decides whether this machine may take a node's lease. Two machines with the same name in one
 * store would otherwise act as one node, and each would close the other's volumes. Each state
 * directory has an identity, so that a restarted node is recognized at once.
 */
final class NodeClaim {
  private static final String FILE = "node.id";
  private static final String SEPARATOR = "_";

  private final String node;
  private final String identity;
  private final NodeLiveness liveness = new NodeLiveness();

  private NodeClaim(String node, String identity) {
    this.node = node;
    this.identity = identity;
  }

  /** Returns the claim of the node with a state directory; creates a missing identity. */
  static NodeClaim of(NodeSettings settings) throws IOException {
    Path file = settings.data().resolve(FILE);
    if (!Files.exists(file)) {
      make(file);
    }
    String id = Files.readString(file).strip();
    if (id.isEmpty()) {
      throw new IOException(file + " is empty: remove it to create a new identity of the node");
    }
    return new NodeClaim(settings.name(), settings.name() + SEPARATOR + id);
  }

  private static void make(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Path written = file.resolveSibling(FILE + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer text =
          ByteBuffer.wrap((UUID.randomUUID() + "\n").getBytes(StandardCharsets.UTF_8));
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Returns whether the holder of a lease includes the machine's identity and not only the node's
   * name.
   */
  static boolean isIdentity(String holder) {
    return holder.contains(SEPARATOR);
  }

  /** Returns the identity of this node as the holder of its lease. */
  String identity() {
    return identity;
  }

  /**
   * Returns another machine that holds the name. A holder that did not renew the lease for its
   * duration, measured by this node's clock, has lost the name.
   */
  Optional<String> another(Optional<Lease> lease, Instant now) {
    String holder = lease.map(Lease::spec).map(LeaseSpec::holderIdentity).orElse("");
    // Earlier releases write only the name.
    boolean ours = holder.isEmpty() || holder.equals(identity) || holder.equals(node);
    if (ours || !liveness.alive(node, lease, now)) {
      return Optional.empty();
    }
    return Optional.of(holder);
  }
}
