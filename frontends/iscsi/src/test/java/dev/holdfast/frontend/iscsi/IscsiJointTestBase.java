package dev.holdfast.frontend.iscsi;

import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A volume on a portal, for sessions of several connections. */
abstract class IscsiJointTestBase {
  final CountedDevice device = new CountedDevice(1 << 20);
  IscsiServer server;
  URI endpoint;

  @BeforeEach
  final void startServer() throws Exception {
    server = IscsiServer.start();
    endpoint = server.publish("joint", device);
  }

  @AfterEach
  final void stopServer() {
    server.close();
  }
}
