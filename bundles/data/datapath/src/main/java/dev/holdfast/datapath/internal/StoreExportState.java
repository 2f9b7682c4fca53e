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
 * attachments, is available on other nodes, and is deleted with the volume. A write is repeated
 * after concurrent changes of other parts of the Engine.
 *
 * <p>During a live migration, or when several nodes serve a volume, several nodes export it, each
 * with the state that it loaded. The state does not change then. Only the node that the Engine
 * names may write a text, and only while no other node forwards to it or is requested to do so.
 * Both facts are in the same resource, and a write based on an older version is refused. The other
 * node therefore loads all state that was written before its request. Afterwards no state is
 * written until it has withdrawn its export.
 */
final class StoreExportState implements ExportStateStore {
  private static final String PREFIX = Engine.EXPORT_ANNOTATIONS;

  /** Prefix for the names of texts that end with the export, except in a live migration. */
  private static final String PASSING = PREFIX + "passing.";

  private static final int ATTEMPTS = 1000;

  private final CurrentStore store;
  private final String engine;
  private final String node;
  private final BooleanSupplier admits;
  private boolean begun;
  private boolean migratable;

  /** Changes the annotations; returns false to leave them unchanged. */
  @FunctionalInterface
  private interface Edit {
    boolean apply(Engine current, Map<String, String> annotations) throws StorageException;
  }

  /**
   * Creates the store of one publication.
   *
   * @param store returns the store, at every call
   * @param engine name of the Engine
   * @param node name of the publishing node
   * @param admits whether this node currently admits another one to forward requests
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

  /** On first use, removes the state of an earlier export that has ended. */
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

  /** Returns whether an Engine has state that must exist after every later publication. */
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

  /** A volume without live migration uses the cluster's store for durable texts only. */
  @Override
  public boolean keeps(String name) {
    return migratable && name.equals(ExportState.RESERVATIONS);
  }

  private void requireShownHereOnly(Engine current) throws StorageException {
    boolean ours = current.spec().nodeID().equals(node) && current.status().nodeID().equals(node);
    // Check the own admissions too: the store may drop a silent node before this node rejects it.
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
        "engine "
            + engine
            + ": could not store the state of its export: its resource changes too "
            + "often");
  }

  private Engine stored() throws StorageException {
    return store
        .get()
        .get(Engine.KIND, engine)
        .orElseThrow(
            () -> new StorageException(ErrorCode.NOT_FOUND, "engine " + engine + " is gone"));
  }
}
