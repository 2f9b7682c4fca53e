package dev.holdfast.node.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.resource.Engine;
import dev.holdfast.store.ResourceStore;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What frontends keep of a volume's export, in annotations of its Engine: there it outlives
 * attachments and moves to other nodes, and goes with the volume. Changes of the engine's other
 * parts at the same time are no conflict: the write is tried again on top of them.
 */
final class StoreExportState implements ExportStateStore {
  private static final String PREFIX = "export.holdfast.dev/";
  private static final int ATTEMPTS = 1000;

  private final Supplier<ResourceStore> store;
  private final String engine;

  /**
   * Creates a store.
   *
   * @param store where to ask, at every call
   * @param engine name of the Engine
   */
  StoreExportState(Supplier<ResourceStore> store, String engine) {
    this.store = store;
    this.engine = engine;
  }

  @Override
  public Map<String, String> load() throws StorageException {
    Map<String, String> texts = new HashMap<>();
    stored()
        .metadata()
        .annotations()
        .forEach(
            (name, text) -> {
              if (name.startsWith(PREFIX)) {
                texts.put(name.substring(PREFIX.length()), text);
              }
            });
    return texts;
  }

  @Override
  public void save(Map<String, String> texts) throws StorageException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Engine current = stored();
      Map<String, String> annotations = new HashMap<>(current.metadata().annotations());
      annotations.keySet().removeIf(name -> name.startsWith(PREFIX));
      texts.forEach((name, text) -> annotations.put(PREFIX + name, text));
      try {
        store.get().update(current.withMetadata(current.metadata().withAnnotations(annotations)));
        return;
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
