package dev.holdfast.engine.spdk.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.TargetCalls;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The record of a replica of another node, through calls of that node. */
final class RemoteLink implements LegLink {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteLink.class);
  private static final LegToken NONE = new LegToken(0, 0);

  private final LegNode node;
  private volatile LegKey key;
  private LegRecord seen;

  private RemoteLink(LegNode node, LegKey key, LegRecord seen) {
    this.node = node;
    this.key = key;
    this.seen = seen;
  }

  /**
   * Looks for a replica.
   *
   * @throws StorageException NOT_FOUND; UNREACHABLE; TIMEOUT
   */
  static RemoteLink look(ReplicaLocation location, LegNode node) throws StorageException {
    LegView view = node.look(new LegKey(location, "", "", NONE));
    String identity = view.record().owner().identity();
    return new RemoteLink(node, new LegKey(location, view.store(), identity, NONE), view.record());
  }

  String store() {
    return key.store();
  }

  /** The calls of the node's target that are permitted. */
  TargetCalls target() {
    return new TargetCalls() {
      @Override
      public JsonNode call(String method, ObjectNode params, Duration patience)
          throws StorageException {
        return node.call(key, method, params, patience);
      }
    };
  }

  @Override
  public Optional<LegRecord> read() {
    return Optional.of(seen);
  }

  @Override
  public LegRecord fence(LegToken token) throws StorageException {
    LegKey next = new LegKey(key.location(), key.store(), key.identity(), token);
    seen = node.fence(next).record();
    key = next;
    return seen;
  }

  @Override
  public void write(LegRecord record) throws StorageException {
    node.write(key, record);
    seen = record;
  }

  @Override
  public LegShown expose(String lvol, LegHost host) throws StorageException {
    return node.expose(key, lvol, host);
  }

  @Override
  public String attachSource(LegShown source, LegHost host) throws StorageException {
    return node.attachSource(key, source, host);
  }

  @Override
  public void detachSource() throws StorageException {
    node.detachSource(key);
  }

  @Override
  public void hide(String lvol) throws StorageException {
    node.hide(key, lvol);
  }

  /** Each call connects by itself. */
  @Override
  public Optional<StorageException> loss() {
    return Optional.empty();
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public void disconnect() {
    // The node keeps the opening until a later one fences the replica.
  }

  /** A node that cannot be asked keeps what it shows; the next opening removes it. */
  @Override
  public void release() {
    try {
      node.end(key);
    } catch (StorageException e) {
      LOG.debug("{}: could not be released", key.location().replica(), e);
    }
  }

  @Override
  public void close() {
    // A look leaves nothing at the node.
  }
}
