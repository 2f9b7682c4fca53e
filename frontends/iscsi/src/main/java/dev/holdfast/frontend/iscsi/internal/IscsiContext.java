package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.iscsi.internal.login.ChapSecrets;
import dev.holdfast.reservation.WriteGate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** State that all connections of this version of the frontend share. Thread-safe. */
final class IscsiContext {
  private final ChapSecrets secrets;
  private final Map<String, WriteGate> gates = new ConcurrentHashMap<>();
  private final Map<String, LocalConnections> companions = new ConcurrentHashMap<>();

  IscsiContext(ChapSecrets secrets) {
    this.secrets = secrets;
  }

  ChapSecrets secrets() {
    return secrets;
  }

  /** Returns the gate that all writes to an export pass. */
  WriteGate gate(String export) {
    return gates.computeIfAbsent(export, name -> new WriteGate());
  }

  /** Returns the connections of a session that this version serves; {@link #left} removes them. */
  LocalConnections companions(SessionTerms session) {
    return companions.computeIfAbsent(session.text(), name -> new LocalConnections());
  }

  /** Reports that this node stopped serving a connection of the session. */
  void left(SessionTerms session, int cid, Commands commands) {
    companions.computeIfPresent(
        session.text(), (name, there) -> there.remove(cid, commands) ? null : there);
  }
}
