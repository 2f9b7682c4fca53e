package dev.holdfast.engine.spdk.simulator.internal.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The methods of one target. As SPDK does on its one thread, a call runs to its end before the next
 * one begins. Only calls that wait for I/O run beside others.
 */
public final class RpcMethods {
  private final MethodTable table = new MethodTable();
  private final Map<String, RpcCall> calls = new TreeMap<>();
  private final Set<String> waiting = new TreeSet<>();
  private final Lock thread = new ReentrantLock();

  /** Adds a method that does not wait. */
  public void add(String method, RpcCall call) {
    if (!table.names().contains(method)) {
      throw new IllegalStateException("methods.txt has no " + method);
    }
    calls.put(method, call);
  }

  /** Adds a method that may wait for I/O. */
  public void addWaiting(String method, RpcCall call) {
    add(method, call);
    waiting.add(method);
  }

  /** Returns the names, in order. */
  public Set<String> names() {
    return calls.keySet();
  }

  /** Fails when the table names a method that was not added. */
  public void requireComplete() {
    Set<String> missing = new TreeSet<>(table.names());
    missing.removeAll(calls.keySet());
    if (!missing.isEmpty()) {
      throw new IllegalStateException("methods.txt has methods without work: " + missing);
    }
  }

  boolean waits(String method) {
    return waiting.contains(method);
  }

  JsonNode run(String method, JsonNode values) throws RpcError {
    Params params = table.find(method).accept(values);
    if (waits(method)) {
      return calls.get(method).run(params);
    }
    thread.lock();
    try {
      return calls.get(method).run(params);
    } finally {
      thread.unlock();
    }
  }
}
