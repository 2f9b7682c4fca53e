package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricConnection;
import java.util.List;

/** An association as the target's side sees it. Thread-safe. */
public interface ServedAssociation extends FabricConnection {
  /** Returns the namespaces now, never null. */
  List<ServedNamespace> served();

  /** Returns the access state of a group by this path: 1 optimized, 2 not optimized, 3 none. */
  int accessState(int group);

  /** Reports the events of this association from now on. An end that came before is reported. */
  void observe(Events events);

  /** Receiver of the events of an association. Must not block. */
  interface Events {
    /** The target has ended the association. */
    void ended();

    /** An access state or a group changed. */
    void accessChanged();

    /** A namespace was added, removed or resized. */
    void namespacesChanged();
  }
}
