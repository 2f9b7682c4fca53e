package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Which bundles the features of a Karaf feature file name. */
final class FeatureFile {
  private FeatureFile() {}

  /** Returns whether a file is a feature file: any other XML is ignored. */
  static boolean isOne(Path file) {
    try {
      return root(file).getTagName().equals("features");
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the addresses of all bundles of all features, each once. */
  static List<String> bundles(Path file) throws IOException {
    Map<String, Feature> features = features(file);
    List<String> all = new ArrayList<>();
    features.values().forEach(feature -> all.addAll(feature.bundles()));
    return all.stream().distinct().toList();
  }

  /** Returns the addresses of a feature's bundles and of those that it needs from this file. */
  static List<String> bundlesOf(Path file, String name) throws IOException {
    List<String> all = new ArrayList<>();
    collect(features(file), name, new HashSet<>(), all);
    return all.stream().distinct().toList();
  }

  private static void collect(
      Map<String, Feature> features, String name, Set<String> seen, List<String> into) {
    Feature feature = features.get(name);
    if (feature == null || !seen.add(name)) {
      return;
    }
    feature.needs().forEach(needed -> collect(features, needed, seen, into));
    into.addAll(feature.bundles());
  }

  private record Feature(List<String> needs, List<String> bundles) {}

  private static Map<String, Feature> features(Path file) throws IOException {
    Map<String, Feature> features = new LinkedHashMap<>();
    for (Element element : children(root(file), "feature")) {
      features.put(
          element.getAttribute("name"),
          new Feature(texts(element, "feature"), texts(element, "bundle")));
    }
    return features;
  }

  private static Element root(Path file) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(file + " is not a feature file: " + e.getMessage(), e);
    }
  }

  private static List<String> texts(Element parent, String name) {
    return children(parent, name).stream().map(child -> child.getTextContent().strip()).toList();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }
}
