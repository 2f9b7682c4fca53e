package dev.holdfast.store.records.internal;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.records.StoreEngineRecords;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ServiceScope;

/**
 * The records of the engine of the using bundle. The engine's name is determined at the first call,
 * because an engine is registered after its dependencies. The store's bundle may be replaced at any
 * time.
 */
@Component(service = EngineRecords.class, scope = ServiceScope.BUNDLE)
public final class EngineRecordsComponent implements EngineRecords {
  private final RecordOwners owners;
  private final long user;
  private final AtomicReference<ResourceStore> store = new AtomicReference<>();
  private final Set<RecordWatch> watches = ConcurrentHashMap.newKeySet();
  private final AtomicReference<StoreEngineRecords> records = new AtomicReference<>();

  /** Serves one bundle. */
  @Activate
  public EngineRecordsComponent(ComponentContext context, @Reference RecordOwners owners) {
    this(context.getUsingBundle().getBundleId(), owners);
  }

  EngineRecordsComponent(long user, RecordOwners owners) {
    this.user = user;
    this.owners = owners;
  }

  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void addStore(ResourceStore present) {
    store.set(present);
  }

  void removeStore(ResourceStore gone) {
    store.compareAndSet(gone, null);
  }

  private ResourceStore present() throws StorageException {
    ResourceStore present = store.get();
    if (present == null) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "engine records: the store is away: try again when it is back");
    }
    return present;
  }

  private StoreEngineRecords records() throws StorageException {
    StoreEngineRecords known = records.get();
    if (known == null) {
      known = new StoreEngineRecords(this::present, owners.engineOf(user));
      records.set(known);
    }
    return known;
  }

  @Override
  public Optional<EngineRecord> read(String name) throws StorageException {
    return records().read(name);
  }

  @Override
  public boolean compareAndSet(Optional<EngineRecord> expected, EngineRecord next)
      throws StorageException {
    return records().compareAndSet(expected, next);
  }

  @Override
  public boolean delete(EngineRecord expected) throws StorageException {
    return records().delete(expected);
  }

  @Override
  public List<EngineRecord> list(String prefix) throws StorageException {
    return records().list(prefix);
  }

  @Override
  public RecordWatch watch(String prefix, Consumer<String> changed) throws StorageException {
    RecordWatch started = records().watch(prefix, changed);
    RecordWatch counted =
        new RecordWatch() {
          @Override
          public void close() {
            watches.remove(this);
            started.close();
          }
        };
    watches.add(counted);
    return counted;
  }

  /** Ends the watches of the bundle. */
  @Deactivate
  public void stop() {
    List.copyOf(watches).forEach(RecordWatch::close);
  }
}
