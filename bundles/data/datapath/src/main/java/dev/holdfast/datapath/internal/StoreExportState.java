package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.CurrentStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * State that frontends keep of a volume's export, in annotations of its Engine. It outlives
 * attachments, is available on other nodes, and is deleted with the volume. The write is tried
 * again on top of changes of the engine's other parts at the same time.
 *
 * <p>While a volume moves in use, or several nodes serve it, more than one shows it, each with what
 * it loaded. So nothing changes then: a text is replaced by the one node that the Engine names, and
 * only when no other node forwards to it or is requested to do so. Both stand in the same resource,
 * and a write that was decided by an older version is refused. So the other node loads all state
 * that was written before its request. After that nothing is written until it has withdrawn its
 * export.
 */
final class StoreExportState implements ExportStateStore {
  private static final String PREFIX = Engine.EXPORT_ANNOTATIONS;

  /** Before names of texts that end with the export unless it moves in use. */
  private static final String PASSING = PREFIX + "passing.";

  private static final int ATTEMPTS = 1000;

  private final CurrentStore store;
  private final String engine;
  private final String node;
  private final BooleanSupplier admits;
  private boolean begun;
  private boolean migratable;

  /** Changes the annotations; returns false to leave everything as it is. */
  @FunctionalInterface
  private interface Edit {
    boolean apply(Engine current, Map<String, String> annotations) throws StorageException;
  }

  /**
   * Creates the store of one publication.
   *
   * @param store where to ask, at every call
   * @param engine name of the Engine
   * @param node the one that publishes
   * @param admits whether it lets another pass requests on to the volume at this moment
   */
  StoreExportState(CurrentStore store, String engine, String node, BooleanSupplier admits) {
    this.store = store;
    this.engine = engine;
    this.node = node;
    this.admits = admits;
  }

  @Override
  public Map<String, String> load() throws StorageException {
    if (!begun) {
      begin();
    }
    return texts(stored());
  }

  /** The first look: what an earlier export left that has ended is gone. */
  private void begin() throws StorageException {
    migratable =
        store
            .get()
            .get(Volume.KIND, stored().spec().volume())
            .filter(volume -> volume.spec().migratable())
            .isPresent();
    boolean unused =
        edit(
            (current, annotations) ->
                !moves(current) && annotations.keySet().removeIf(name -> name.startsWith(PASSING)));
    begun = true;
  }

  private static boolean moves(Engine engine) {
    return !engine.spec().forwardingNodes().isEmpty()
        || !engine.status().forwardingNodes().isEmpty();
  }

  /** Returns whether an Engine has state that is to be there after every later publication. */
  static boolean isHeld(Engine engine) {
    return engine.metadata().annotations().keySet().stream()
        .anyMatch(name -> name.startsWith(PREFIX) && !name.startsWith(PASSING));
  }

  private static Map<String, String> texts(Engine engine) {
    Map<String, String> texts = new HashMap<>();
    engine
        .metadata()
        .annotations()
        .forEach(
            (name, text) -> {
              if (name.startsWith(PASSING)) {
                texts.put(name.substring(PASSING.length()), text);
              } else if (name.startsWith(PREFIX)) {
                texts.put(name.substring(PREFIX.length()), text);
              }
            });
    return texts;
  }

  @Override
  public void save(Map<String, String> texts) throws StorageException {
    boolean unused =
        edit(
            (current, annotations) -> {
              annotations.keySet().removeIf(name -> name.startsWith(PREFIX));
              texts.forEach((name, text) -> annotations.put(PREFIX + name, text));
              return true;
            });
  }

  @Override
  public boolean replace(
      String name, Optional<String> expected, Optional<String> next, boolean durable)
      throws StorageException {
    return edit(
        (current, annotations) -> {
          if (!Optional.ofNullable(texts(current).get(name)).equals(expected)) {
            return false;
          }
          requireShownHereOnly(current);
          annotations.remove(PREFIX + name);
          annotations.remove(PASSING + name);
          next.ifPresent(text -> annotations.put((durable ? PREFIX : PASSING) + name, text));
          return true;
        });
  }

  /** A volume that cannot move in use needs the cluster's store for durable texts only. */
  @Override
  public boolean keeps(String name) {
    return migratable && name.equals(ExportState.RESERVATIONS);
  }

  private void requireShownHereOnly(Engine current) throws StorageException {
    boolean ours = current.spec().nodeID().equals(node) && current.status().nodeID().equals(node);
    // The store may drop a silent node before this node rejects it.
    if (!ours || moves(current) || admits.getAsBoolean()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + current.spec().volume()
              + " is moving between nodes: its reservations change when one node has it alone");
    }
  }

  private boolean edit(Edit edit) throws StorageException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Engine current = stored();
      Map<String, String> annotations = new HashMap<>(current.metadata().annotations());
      if (!edit.apply(current, annotations)) {
        return false;
      }
      try {
        store.get().update(current.withMetadata(current.metadata().withAnnotations(annotations)));
        return true;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
    throw new StorageException(
        ErrorCode.CONFLICT,
        "engine " + engine + " changes too often to keep what its export needs; not kept");
  }

  private Engine stored() throws StorageException {
    return store
        .get()
        .get(Engine.KIND, engine)
        .orElseThrow(
            () -> new StorageException(ErrorCode.NOT_FOUND, "engine " + engine + " is gone"));
  }
}
