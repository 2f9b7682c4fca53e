package dev.holdfast.controller.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The store as one life of a node experiences it: calls fail, events are late, and the node may
 * die.
 */
final class NodeStore implements ResourceStore {
  private static final int SOON_MILLIS = 20;
  private static final int LATE_MILLIS = 5_000;

  private final EventLog log;
  private final SimulatedNode node;
  private final Simulation simulation;
  private final List<Pump<?>> pumps = new ArrayList<>();

  NodeStore(EventLog log, SimulatedNode node, Simulation simulation) {
    this.log = log;
    this.node = node;
    this.simulation = simulation;
  }

  private interface Call<T> {
    T apply() throws StorageException;
  }

  private <T> T read(Call<T> call) throws StorageException {
    before();
    if (simulation.happens(simulation.faults().failedRead())) {
      throw unreachable();
    }
    return call.apply();
  }

  private <T> T write(Call<T> call) throws StorageException {
    before();
    Faults faults = simulation.faults();
    if (simulation.happens(faults.crashBeforeWrite())) {
      throw node.die();
    }
    if (simulation.happens(faults.lostWrite())) {
      throw unreachable();
    }
    T result = call.apply();
    if (simulation.happens(faults.crashAfterWrite())) {
      throw node.die();
    }
    if (simulation.happens(faults.lostAnswer())) {
      throw new StorageException(ErrorCode.TIMEOUT, "the store's answer was lost");
    }
    return result;
  }

  private void before() throws StorageException {
    simulation.interleave();
    if (!node.lives(this)) {
      throw new ProcessDied(node.name());
    }
    if (node.isCutOff()) {
      throw unreachable();
    }
  }

  private static StorageException unreachable() {
    return new StorageException(ErrorCode.UNREACHABLE, "the store cannot be reached");
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return read(() -> log.get(kind, name));
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    return read(() -> log.list(kind, selector));
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return write(() -> log.create(resource));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return write(() -> log.update(resource));
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return write(() -> log.updateStatus(resource));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return write(() -> log.delete(kind, name, uid));
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    int position = read(() -> log.position(resourceVersion));
    Pump<R> pump = new Pump<>(kind, listener, position);
    pumps.add(pump);
    pump.wake();
    return pump;
  }

  /** Reports a write, because watches may have events to deliver. */
  void wake() {
    new ArrayList<>(pumps).forEach(Pump::wake);
  }

  /** Delivers the events of one kind to one listener, in order, each after its own random delay. */
  private final class Pump<R extends Resource<R>> implements Watch {
    private final ResourceKind<R> kind;
    private final WatchListener<R> listener;
    private int position;
    private boolean delivering;

    private Pump(ResourceKind<R> kind, WatchListener<R> listener, int position) {
      this.kind = kind;
      this.listener = listener;
      this.position = position;
    }

    private void wake() {
      if (delivering || log.next(kind, position).isEmpty()) {
        return;
      }
      delivering = true;
      boolean late = simulation.happens(simulation.faults().lateEvent());
      int millis = simulation.random().nextInt(late ? LATE_MILLIS : SOON_MILLIS);
      node.schedule(Duration.ofMillis(millis), () -> pumps.contains(this), this::deliver);
    }

    private void deliver() {
      delivering = false;
      if (node.isCutOff() || simulation.happens(simulation.faults().endedWatch())) {
        pumps.remove(this);
        listener.ended(unreachable());
        return;
      }
      Optional<EventLog.Found<R>> found = log.next(kind, position);
      if (found.isPresent()) {
        position = found.get().next();
        listener.changed(found.get().event());
      }
      wake();
    }

    @Override
    public void close() {
      pumps.remove(this);
    }
  }
}
