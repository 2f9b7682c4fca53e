export default function contribute(page) {
  page.registerTab({ id: 'image', kind: 'backingimages', title: 'Image', component: () => null });
}
