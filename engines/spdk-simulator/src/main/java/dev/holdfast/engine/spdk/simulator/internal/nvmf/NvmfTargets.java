package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The NVMe-oF targets of a process. Thread-safe. */
public final class NvmfTargets {
  private static final String FIRST = "nvmf_tgt";

  private final Fabric fabric;
  private final Keyring keyring;
  private final Map<String, NvmfTarget> targets = new LinkedHashMap<>();

  /** Creates the first target. */
  public NvmfTargets(Fabric fabric, Keyring keyring) {
    this.fabric = fabric;
    this.keyring = keyring;
    targets.put(FIRST, new NvmfTarget(FIRST, true, fabric, keyring));
  }

  /** Returns the target of a name; without a name the only one. */
  public synchronized Optional<NvmfTarget> find(Optional<String> name) {
    if (name.isPresent()) {
      return Optional.ofNullable(targets.get(name.get()));
    }
    return targets.size() == 1 ? targets.values().stream().findFirst() : Optional.empty();
  }

  /** Makes a further target, which serves no host. */
  public synchronized void create(String name) throws ErrnoException {
    if (targets.containsKey(name)) {
      throw new ErrnoException(Errno.EEXIST);
    }
    targets.put(name, new NvmfTarget(name, false, fabric, keyring));
  }

  /** Removes a target. */
  public synchronized void delete(String name) throws ErrnoException {
    NvmfTarget target = targets.remove(name);
    if (target == null) {
      throw new ErrnoException(Errno.ENODEV);
    }
    target.close();
  }

  /** Returns the names, the newest first. */
  public synchronized List<String> names() {
    List<String> names = new ArrayList<>();
    targets.keySet().forEach(name -> names.add(0, name));
    return names;
  }

  /** Ends all associations, as the end of the process does. */
  public synchronized void kill() {
    targets.values().forEach(NvmfTarget::kill);
  }
}
